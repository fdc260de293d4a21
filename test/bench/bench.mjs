import { startChild } from './process/child.mjs'
import { scenarios } from './scenarios.mjs'
import { direct } from './targets.mjs'

/**
 * Slow targets have compiled what they will long before they have answered as many requests as fast ones. Understudy's own share of a
 * request took 357 us in the first 1 500, 67 us after 3 000, and 50 us from 6 000 on.
 */
const WARM_MS = 5000

/** The upstream and the client, and a way to start targets between them. */
export async function startBench({ pinning, plan }) {
  const upstream = await startChild('load/upstream.mjs', { name: 'upstream', pin: pinning.load })
  const client = await startChild('load/client.mjs', { name: 'client', pin: pinning.load })
  const ports = await upstream.ask('ports')

  return {
    upstream,
    client,
    plan,
    /** The upstream as if it were a target, of which nothing is known but what the client sees. */
    direct: { ...direct, port: ports[0], ask: () => Promise.resolve(Number.NaN) },
    // What else a target is told stands behind the ports: a limit on silence, if any, and its options by name.
    start: async (target, { limitMs = '' } = {}) => {
      const args = [...ports, limitMs, ...(target.args ?? [])].map(String)
      const child = await startChild(target.file, { name: target.name, args, pin: pinning.target })
      return { ...target, ...child, port: await child.ask('port') }
    },
    stop: () => Promise.all([upstream.stop(), client.stop()]),
  }
}

/** The scenarios that a target takes part in. */
export const scenariosOf = (target, alone) => scenarios.filter((scenario) =>
  (scenario.alone ?? false) === alone
  && (!scenario.fallback || target.fallback)
  && (target.name !== direct.name || scenario.direct))

/** The bench as it warms targets up, so that their code is compiled before the first round. */
export const warming = (bench) => ({
  ...bench,
  plan: { ...bench.plan, warmMs: 0, windowMs: 0, slices: 1, atLeast: bench.plan.warmRequests, longestMs: WARM_MS, denseMs: 400 },
})

/** Warms a target up with most of what it will be asked. */
export async function warm(bench, target) {
  for (const scenario of scenariosOf(target, false)) {
    if (scenario.warms) await scenario.measure(warming(bench), target)
  }
}
