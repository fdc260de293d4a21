import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { scenariosOf, startBench, warm } from './bench.mjs'
import { direct, targets } from './targets.mjs'

const PROFILED_MS = 4000
const SHOWN = 40

/** Runs one scenario on one target under the sampling profiler, writes the profile, and prints where the time went. */
export async function profileOne({ target: name, scenario: wanted, file, plan, pinning }) {
  const target = targets.find((one) => one.name === name)
  if (target === undefined) throw new Error(`no target '${name}'; there are ${targets.map((one) => one.name).join(', ')}`)
  const known = [...scenariosOf(target, false), ...scenariosOf(target, true)].filter(() => target.name !== direct.name)
  const scenario = known.find((one) => one.name === wanted)
  if (scenario === undefined) throw new Error(`no scenario '${wanted}' for ${name}; there are ${known.map((one) => one.name).join(', ')}`)

  const bench = await startBench({ pinning, plan: { ...plan, warmMs: 0, windowMs: PROFILED_MS, denseMs: PROFILED_MS } })
  const started = await bench.start(target)
  await warm({ ...bench, plan }, started)
  await started.ask('profileStart')
  const figures = await scenario.measure(bench, started)
  await started.ask('profileStop', { file: resolve(file) })
  await started.stop()
  await bench.stop()

  console.log(figures)
  console.log(costs(JSON.parse(readFileSync(file, 'utf8'))).slice(0, SHOWN).join('\n'))
}

/** Share of the samples that each function was running itself, the dearest first. */
function costs({ nodes, samples, timeDeltas }) {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, placeOf(callFrame)]))
  const spent = new Map()
  let total = 0
  samples.forEach((id, index) => {
    const name = names.get(id)
    if (name.startsWith('(idle)')) return
    total += timeDeltas[index]
    spent.set(name, (spent.get(name) ?? 0) + timeDeltas[index])
  })
  return [...spent]
    .sort(([, a], [, b]) => b - a)
    .map(([name, us]) => `${(us / total * 100).toFixed(1).padStart(5)} %  ${name}`)
}

const placeOf = ({ functionName, url, lineNumber }) => {
  const place = url.replace(/^.*\/node_modules\//, '').replace(/^file:\/\/.*?\/packages\//, '')
  return `${functionName || '(anonymous)'} ${place === '' ? '' : `${place}:${lineNumber + 1}`}`
}
