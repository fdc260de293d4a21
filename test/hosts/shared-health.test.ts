import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import t from 'tap'
import { deferred } from '../kit/deferred.js'
import { eventually } from '../kit/eventually.js'
import { createFakeClock } from '../kit/fake-clock.js'
import { healthStoreContract } from '../kit/health-store-contract.js'
import { ask, JSON_HEADERS } from '../kit/http-client.js'
import { connectStore, startSocketStore } from '../kit/socket-store.js'
import { within } from '../kit/within.js'
import type { HealthProcessSetUp, HealthProcessWord } from './health-process.js'

const RECOVERY_MS = 60_000
const PATIENT = { admitWaitMs: 10_000, settleWaitMs: 10_000, pauseMs: 100, refreshMs: 10 }
const BODY = JSON.stringify({ model: 'chat', messages: [{ role: 'user', content: 'hi' }] })

// A process takes seconds to start where the machine is busy, so all tests have the same two.
t.setTimeout(300_000)
const { store, first, here, there } = await stage()

healthStoreContract({
  name: 'a memory behind a socket',
  async makeHarness() {
    const clock = createFakeClock()
    const server = await startSocketStore()
    const [here, there] = [connectStore(server.port), connectStore(server.port)]
    return {
      here,
      there,
      elapse: async (ms) => {
        await clock.advance(ms)
        server.elapse(ms)
      },
      close: async () => {
        here.close()
        there.close()
        await server.kill()
      },
    }
  },
})

/** A provider that fails, holds its answers back, or answers. */
async function startLeg(name: string) {
  const leg = { calls: 0, mood: 'well' as 'well' | 'down' | Promise<void>, url: '' }
  const server = createServer((request, response) => {
    leg.calls += 1
    request.resume()
    const { mood } = leg
    void Promise.resolve(typeof mood === 'string' ? undefined : mood).then(() => {
      response.writeHead(mood === 'down' ? 500 : 200, JSON_HEADERS)
      response.end(JSON.stringify(mood === 'down' ? { error: {} } : {
        id: 'x', object: 'chat.completion', created: 1, model: 'm',
        choices: [{ index: 0, message: { role: 'assistant', content: name }, finish_reason: 'stop' }],
      }))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  leg.url = `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`
  return leg
}

/** A process with a `Fallback` of its own. */
async function startProcess(setUp: HealthProcessSetUp) {
  const child = fork(new URL('health-process.ts', import.meta.url), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, NODE_OPTIONS: '', HEALTH_PROCESS: JSON.stringify(setUp) },
  })
  t.teardown(() => child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  const word = async (): Promise<HealthProcessWord> => {
    const [said] = await within(60_000, 'a word of the process', once(child, 'message'))
    return said as HealthProcessWord
  }
  const first = await word()
  const port = 'port' in first ? first.port : 0
  return {
    /** Who served, and how the first leg fared. */
    async ask(): Promise<string> {
      const { status, headers, text } = await ask(port, '/chat/completions', { body: BODY })
      if (status !== 200) return `${status}`
      const [, outcome = '', reason] = /^"first\/m";outcome=(\w+)(?:;reason=(\w+))?/.exec(String(headers['understudy-trail'])) ?? []
      const served = /"content":"(\w+)"/.exec(text)?.[1] ?? ''
      return outcome === 'served' ? served : `${served} (${reason ?? outcome})`
    },
    async lines(): Promise<readonly string[]> {
      const said = word()
      child.send('lines')
      const answer = await said
      return 'lines' in answer ? answer.lines : []
    },
    close: () => void child.send('close'),
    exited: () => within(60_000, 'the end of the process', exited),
  }
}

async function stage() {
  const store = await startSocketStore()
  t.teardown(store.kill)
  const first = await startLeg('first')
  const second = await startLeg('second')
  const setUp = {
    storePort: store.port,
    urls: [first.url, second.url],
    breaker: { failureThreshold: 3, recoveryMs: RECOVERY_MS, jitter: 0, successThreshold: 2 },
    patience: PATIENT,
  }
  const processes = await Promise.all([startProcess(setUp), startProcess(setUp)])
  const [here, there] = processes
  return { store, first, here, there }
}

/** Asks until the process knows what another one found out: it reads that in the background. */
async function untilSays({ ask: askOnce }: { readonly ask: () => Promise<string> }, wanted: string): Promise<void> {
  await eventually(wanted, async () => ((await askOnce()) === wanted ? true : undefined))
}

t.test('two processes with one store leave a provider out together, and give it one probe between them', async (t) => {
  t.strictSame([await here.ask(), await there.ask()], ['first', 'first'])

  first.mood = 'down'
  for (const process of [here, there, here]) t.equal(await process.ask(), 'second (server_error)')
  await untilSays(here, 'second (circuit_open)')
  await untilSays(there, 'second (circuit_open)')
  const callsWhileDown = first.calls
  await Promise.all([here, there, here, there, here, there].map((process) => process.ask()))
  t.equal(first.calls, callsWhileDown, 'nobody asks it while it is left out')

  const gate = deferred()
  first.mood = gate.promise
  store.elapse(RECOVERY_MS)
  await eventually('one of them probes it', async () => {
    void Promise.all([here.ask(), there.ask()]).catch(() => undefined)
    return first.calls > callsWhileDown ? true : undefined
  })
  const asked = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? here : there).ask())
  t.strictSame([...new Set(await Promise.all(asked))], ['second (circuit_open)'], 'nobody waits for the probe')
  t.equal(first.calls, callsWhileDown + 1, 'one probe, in both')
  gate.resolve()
  await untilSays(here, 'first')
  first.mood = 'well'
  await untilSays(there, 'first')
  t.strictSame([await here.ask(), await there.ask()], ['first', 'first'])
})

t.test('without the store each goes by what it knows itself, says so once, and comes back to it', async (t) => {
  t.strictSame([await here.ask(), await there.ask()], ['first', 'first'])
  await store.kill()
  first.mood = 'down'
  for (let request = 0; request < 8; request += 1) {
    for (const process of [here, there]) t.match(await process.ask(), /^second/)
  }
  await untilSays(here, 'second (circuit_open)')
  await untilSays(there, 'second (circuit_open)')
  const warning = 'UNDERSTUDY_HEALTH_STORE the health store failed, or said what cannot be; this process goes by what it knows itself'
  for (const process of [here, there]) {
    t.strictSame((await process.lines()).filter((line) => line.includes('STORE')), [warning])
  }
  await store.revive()
  first.mood = 'well'
  await untilSays(here, 'first')
  await untilSays(there, 'first')
  for (const process of [here, there]) {
    t.ok((await process.lines()).includes('- the health store answers again'))
  }
})

t.test('a process that closes gives the slot of its probe to the others, and ends', async (t) => {
  first.mood = 'down'
  for (const process of [here, there, here]) await process.ask()
  await untilSays(here, 'second (circuit_open)')
  await untilSays(there, 'second (circuit_open)')
  first.mood = new Promise(() => undefined)
  const { calls } = first
  store.elapse(RECOVERY_MS)
  let cut: Promise<string> | undefined
  await eventually('the probe is under way', async () => {
    const asking = here.ask().catch(String)
    const answered = await Promise.race([asking, new Promise((resolve) => setTimeout(resolve, 100))])
    if (answered === undefined) cut = asking
    return first.calls > calls ? true : undefined
  })
  await untilSays(there, 'second (circuit_open)')
  first.mood = 'well'
  here.close()
  await untilSays(there, 'first')
  t.match(await cut, /503|Error/)
  t.strictSame(await here.exited(), [0, null])
  await eventually('its connection is gone', async () => (store.connections() === 1 ? true : undefined))
})
