import { scenariosOf, startBench, warm } from './bench.mjs'
import { checkAnswers } from './check.mjs'
import { createFigures } from './figures.mjs'
import { checkOutcomes } from './outcomes.mjs'
import { scenarios } from './scenarios.mjs'

const say = (text) => process.stderr.write(`${text}\n`)

/**
 * Measures every target in every scenario, the targets in turn within each round (A B C, A B C), so that what drifts on the
 * machine drifts for all. A target that breaks is left out from then on and named in `broken`.
 */
export async function measureAll({ plan, pinning, targets }) {
  const bench = await startBench({ pinning, plan })
  const figures = createFigures()
  const outcomes = new Map()
  const broken = []
  const running = []

  const attempt = async (target, work) => {
    if (broken.some(({ name }) => name === target.name)) return
    try {
      await work()
    } catch (error) {
      say(`${target.name} broke: ${error.message}`)
      broken.push({ name: target.name, message: error.message })
      await resetStreams(bench)
    }
  }

  say(`warming up ${targets.length} targets`)
  for (const target of targets) {
    await attempt(target, async () => {
      const started = await bench.start(target)
      running.push(started)
      await checkAnswers(bench, started)
      if (target.fallback && plan.outcomes) outcomes.set(target.name, await checkOutcomes(bench, target))
      await warm(bench, started)
    })
  }

  const all = [bench.direct, ...running]
  for (let round = 0; round < plan.rounds; round += 1) {
    say(`round ${round + 1} of ${plan.rounds}`)
    for (const scenario of scenarios) {
      for (const target of all.filter((one) => scenariosOf(one, false).includes(scenario))) {
        await attempt(target, async () => figures.add(target.name, round, await scenario.measure(bench, target)))
      }
    }
  }
  await Promise.all(running.map((target) => target.stop()))

  for (let round = 0; round < plan.memoryRounds; round += 1) {
    for (const target of targets.filter(plan.memoryOf)) {
      say(`memory: ${target.name}`)
      await attempt(target, async () => {
        const fresh = await bench.start(target)
        try {
          for (const scenario of scenariosOf(target, true)) figures.add(target.name, round, await scenario.measure(bench, fresh))
        } finally {
          await fresh.stop()
        }
      })
    }
  }
  await bench.stop()
  return { figures, outcomes, broken }
}

/** A target that broke may have left streams open at both ends. */
async function resetStreams({ upstream, client }) {
  await upstream.ask('release')
  await client.ask('closeStreams')
}
