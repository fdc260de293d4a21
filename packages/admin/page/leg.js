import { make } from './dom.js'
import { ago, clock, keyOf, nameOf } from './words.js'

/** One leg: how it is, when it served, how it failed, how often a run moved on from it. */
export function legItem(leg, route, status) {
  const { word, kind } = healthOf(leg, status)
  const failure = status.last_failures.find((each) => isSame(each, leg))
  return make('li', { class: 'leg' },
    make('h3', {}, nameOf(leg), leg.region === undefined ? '' : ` (${leg.region})`),
    make('dl', {},
      make('dt', {}, 'Health'), make('dd', { class: `health ${kind}` }, word),
      make('dt', {}, 'Last served'), make('dd', {}, leg.last_served_at === undefined ? 'never: unproven' : ago(leg.last_served_at, status.at)),
      make('dt', {}, 'Last failure'), make('dd', {}, failure === undefined ? 'none' : `${failureWords(failure)}, ${ago(failure.at, status.at)}`),
      make('dt', {}, 'Failovers'), make('dd', {}, rateOf(leg, route, status))))
}

function failureWords({ kind, status }) {
  return status === undefined ? kind : `${kind} (${status})`
}

function healthOf(leg, status) {
  const breaker = status.breakers.find(({ provider, region }) => provider === leg.provider && (region ?? leg.region) === leg.region)
  const rest = status.cooldowns.find((each) => isSame(each, leg))
  if (breaker?.state === 'open') return { word: breaker.open_until === undefined ? 'left out' : `left out until ${clock(breaker.open_until)}`, kind: 'bad' }
  if (leg.misconfigured === true) return { word: 'looks wrongly set', kind: 'bad' }
  if (rest !== undefined) return { word: rest.until === undefined ? 'rests after a rate limit' : `rests until ${clock(rest.until)}`, kind: 'wait' }
  if (breaker?.state === 'half-open') return { word: 'is probed', kind: 'wait' }
  if (breaker === undefined && leg.last_served_at === undefined) return { word: 'not asked yet', kind: 'soft' }
  return { word: 'well', kind: 'good' }
}

/** Of the last hour, in this route. */
function rateOf(leg, route, status) {
  const counts = status.minutes.flatMap(({ legs }) => legs.filter((each) => each.route === route && each.leg === keyOf(leg)))
  const attempts = counts.reduce((sum, each) => sum + each.attempts, 0)
  const failovers = counts.reduce((sum, each) => sum + each.failovers, 0)
  if (attempts === 0) return 'no attempt in the last hour'
  return `${Math.round((failovers / attempts) * 1_000) / 10} % (${failovers} of ${attempts} in the last hour)`
}

function isSame(one, other) {
  return one.provider === other.provider && one.model === other.model && one.region === other.region
}
