import { startBench, warming } from './bench.mjs'
import { dialectLoads, dialectTargets } from './dialects.mjs'
import { featureLoads, features } from './features.mjs'
import { createFigures } from './figures.mjs'
import { scales } from './scale.mjs'
import { targets } from './targets.mjs'

const say = (text) => process.stderr.write(`${text}\n`)

const raw = targets.find(({ name }) => name === 'raw')
const variant = (...args) => ({ name: args.join(' '), file: 'targets/variant.mjs', args })

/** Each job once to warm up, then round by round, all in turn. `key` names the figure and `of` the target. */
async function measureInTurn(bench, jobs) {
  const figures = createFigures()
  for (const { target, measure } of jobs) await measure(warming(bench), target)
  for (let round = 0; round < bench.plan.rounds; round += 1) {
    say(`round ${round + 1} of ${bench.plan.rounds}`)
    for (const { of, key, target, measure } of jobs) figures.add(of, round, { [key]: await measure(bench, target) })
  }
  return figures
}

/**
 * Understudy and the plain pass-through at growing sizes, Understudy with each feature on and off, and with legs of other dialects beside
 * the AI SDK.
 */
export async function measureVariants({ plan, pinning, scale, features: wantsFeatures, dialects }) {
  const bench = await startBench({ pinning, plan })
  const found = {}
  try {
    if (scale) found.scale = await measureScale(bench)
    if (wantsFeatures) found.features = await measureFeatures(bench)
    if (dialects) found.dialects = await measureDialects(bench)
  } finally {
    await bench.stop()
  }
  return found
}

async function measureScale(bench) {
  const rawTarget = await bench.start(raw)
  const tables = []
  for (const { title, points, variant: what, rawToo = false, measure } of scales) {
    say(title)
    const started = new Map()
    const startOf = async (target) => {
      if (!started.has(target.name)) started.set(target.name, await bench.start(target))
      return started.get(target.name)
    }
    const jobs = []
    for (const point of points) {
      const ours = await startOf(what === undefined ? variant('plain') : variant(what, point))
      jobs.push({ of: 'ours', key: `${point}`, target: ours, measure: (one, target) => measure(one, target, point) })
      if (rawToo) jobs.push({ of: 'raw', key: `${point}`, target: rawTarget, measure: (one, target) => measure(one, target, point) })
    }
    tables.push({ title, points, rawToo, figures: await measureInTurn(bench, jobs) })
    await Promise.all([...started.values()].map((target) => target.stop()))
  }
  await rawTarget.stop()
  return tables
}

/**
 * Two processes of each, and of each window the mean of both: what V8 makes of the same code differs by some 10 % from process to process, for
 * as long as they live.
 */
async function measureFeatures(bench) {
  const started = new Map()
  const start = (feature) => bench.start(variant('feature', feature))
  for (const feature of features) started.set(feature, [await start(feature), await start(feature)])
  const jobs = featureLoads.filter(({ alone }) => !alone).flatMap(({ title, measure }) =>
    features.map((feature) => ({
      of: feature,
      key: title,
      target: started.get(feature),
      measure: async (one, pair) => mean(await inTurn(pair, (target) => measure(one, target))),
    })))
  say('features')
  const figures = await measureInTurn(bench, jobs)
  await Promise.all([...started.values()].flat().map((target) => target.stop()))
  for (let round = 0; round < bench.plan.rounds; round += 1) {
    for (const { title, measure } of featureLoads.filter(({ alone }) => alone)) {
      for (const feature of features) {
        const fresh = await start(feature)
        figures.add(feature, round, { [title]: await measure(bench, fresh) })
        await fresh.stop()
      }
    }
  }
  return figures
}

async function inTurn(targets, measure) {
  const measured = []
  for (const target of targets) measured.push(await measure(target))
  return measured
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length

async function measureDialects(bench) {
  const started = []
  for (const target of dialectTargets) started.push(await bench.start(target))
  say('dialects')
  const jobs = dialectLoads.flatMap(({ title, measure }) => started.map((target) => ({ of: target.name, key: title, target, measure })))
  const figures = await measureInTurn(bench, jobs)
  await Promise.all(started.map((target) => target.stop()))
  return figures
}
