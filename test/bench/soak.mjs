// npm run soak [-- --streams 10000] [-- --first 1000] [-- --growth 0.05] [-- --on express,koa,fastify] [-- --json]
// Aborts so many streams on each framework, at every point of their life, and counts what is left of them.
import { parseArgs } from 'node:util'
import { watchTimers, watchTrouble } from './soak/watch-process.mjs'

const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '10000' },
    first: { type: 'string', default: '1000' },
    growth: { type: 'string', default: '0.05' },
    on: { type: 'string', default: 'express,koa,fastify' },
    json: { type: 'boolean', default: false },
  },
})
if (globalThis.gc === undefined) throw new Error('the soak needs node --expose-gc')

watchTimers()
const trouble = watchTrouble()
const { soakHost } = await import('./soak/soak-host.mjs')
const megabytes = (bytes) => (bytes / 2 ** 20).toFixed(2)
const results = []

for (const framework of values.on.split(',')) {
  const result = await soakHost(framework, { streams: Number(values.streams), firstStreams: Number(values.first) })
    .catch((error) => {
      // Its server still listens, so the process would not end by itself.
      console.error(error)
      process.exit(1)
    })
  results.push(result)
  if (values.json) continue
  const { aborted, serverWaited, seconds, heap, left, idle, streams } = result
  console.log(`${framework}: ${streams} streams aborted in ${seconds.toFixed(0)} s (${Object.entries(aborted).map(([name, count]) => `${name} ${count}`).join(', ')})`)
  console.log(`  the server was waiting for its client in ${serverWaited} of ${aborted['paused-reader']} paused readers`)
  console.log(`  heap after ${values.first}: ${megabytes(heap.afterFirst)} MB, after ${streams}: ${megabytes(heap.afterAll)} MB (${(heap.growth * 100).toFixed(1)} %)`)
  console.log(`  before close: idle provider sockets ${idle.providerSockets}, timers ${idle.timers}`)
  console.log(`  left: ${JSON.stringify(left)}`)
}

const isClean = ({ left, heap }) => heap.growth <= Number(values.growth) && left.serverConnections === 0 && left.openRuns === 0
  && left.providerSockets === 0 && left.processListeners === 0 && Object.keys(left.handles).length === 0

if (values.json) console.log(JSON.stringify({ results, trouble }))
else for (const one of trouble) console.log(`trouble: ${one}`)
if (!results.every(isClean) || trouble.length > 0) process.exitCode = 1
