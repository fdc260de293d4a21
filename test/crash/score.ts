import type { Facts } from './facts.js'
import type { Scenario } from './scenarios.js'

export type CrashVerdict = 'pass' | 'partial' | 'safe' | 'fail'

/** A verdict, and every check that did not hold. */
export interface Score {
  readonly verdict: CrashVerdict
  readonly broken: readonly string[]
}

/**
 * The rules of the catalogue. `pass`: the whole answer (or the refusal that was wanted) and every check held.
 * `partial`: the same, but an advisory check did not; or a refusal that was routed around. `safe`: no answer, but one
 * clean error in bounded time and all required checks held. `fail`: a hang, half an answer as whole, or a required
 * check that did not hold.
 */
export function score({ wants, required, advisory }: Scenario, facts: Facts): Score {
  const failed = [
    ...(facts.outcome === 'hang' ? ['no hang'] : []),
    ...(facts.outcome === 'half' ? ['no half answer as whole'] : []),
    ...(facts.healthyMs === undefined ? ['a healthy request works afterwards'] : []),
    ...required.filter(({ holds }) => !holds(facts)).map(({ text }) => text),
  ]
  const missed = advisory.filter(({ holds }) => !holds(facts)).map(({ text }) => text)
  if (failed.length > 0) return { verdict: 'fail', broken: [...failed, ...missed] }
  if (wants === 'refusal') {
    return facts.outcome === 'error'
      ? { verdict: missed.length === 0 ? 'pass' : 'partial', broken: missed }
      : { verdict: 'partial', broken: ['the refusal was routed around', ...missed] }
  }
  if (facts.outcome === 'error') return { verdict: 'safe', broken: missed }
  return { verdict: missed.length === 0 ? 'pass' : 'partial', broken: missed }
}

const order: readonly CrashVerdict[] = ['fail', 'safe', 'partial', 'pass']

/** The worst of several; of equals the slowest. */
export function worst<Played extends { readonly score: Score, readonly facts: Facts }>(
  plays: readonly Played[],
): Played | undefined {
  const rank = ({ score: { verdict } }: Played) => order.indexOf(verdict)
  return [...plays].sort((one, other) => rank(one) - rank(other) || other.facts.tookMs - one.facts.tookMs)[0]
}
