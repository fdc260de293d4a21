import { createHash } from 'node:crypto'
import { groupOf, type Case, type CaseLeg } from './case.js'
import { leftOut, playedGroups } from './left-out.js'
import { readingOf } from './readings.js'
import { plainSetUps, type SetUp } from './hosts.js'
import { additions } from './additions.js'
import { moreOf } from './said-in-words.js'

/** One case, once, in one set-up. */
export interface Play {
  readonly of: Case
  /** What is different from the case as it stands; empty for that. */
  readonly variant: string
  readonly setUp: SetUp
  /** Short, and its own within a process: for request ids. */
  readonly key: string
}

/** Every play of the cases in these groups. */
export function playsOf(cases: readonly Case[], groups: readonly string[]): readonly Play[] {
  const unknown = groups.filter((group) => !playedGroups.includes(group))
  if (unknown.length > 0) throw new Error(`nobody plays ${unknown.join(', ')}`)
  return cases
    .filter((given) => groups.includes(groupOf(given)) && leftOut[given.id] === undefined)
    .flatMap((given) => variantsOf(given))
    .flatMap(({ of, variant }) => (of.frameworks ?? plainSetUps).map((setUp) => {
      const key = createHash('sha256').update(`${of.id} ${variant} ${setUp}`).digest('hex').slice(0, 12)
      return { of: readingOf(of, setUp), variant, setUp, key }
    }))
}

interface Variant {
  readonly of: Case
  readonly variant: string
}

function variantsOf(given: Case): readonly Variant[] {
  const also = additions[given.id]
  const base: Case = also === undefined ? given : { ...given, expect: { ...given.expect, ...also } }
  return [{ of: base, variant: '' }, ...varied(base), ...moreOf(base)]
}

/** The case again with each value of its `vary_*` in place of the first. */
function varied(base: Case): readonly Variant[] {
  const [first] = base.upstream
  const again = <Value>(values: readonly Value[] | undefined, label: string, change: (value: Value) => Partial<Case>) =>
    (values ?? []).map((value): Variant => ({
      of: { ...base, ...change(value) },
      variant: `${label} ${JSON.stringify(value)}`,
    }))
  const leg = (change: Partial<CaseLeg>): Partial<Case> =>
    ({ upstream: first === undefined ? [] : [{ ...first, ...change }, ...base.upstream.slice(1)] })
  const body = (text: string) => leg({ chunks: [{ text, then: 'end' }] })

  return [
    ...again(base.vary_status?.filter((status) => status !== first?.status), 'status', (status) => leg({ status })),
    ...again(base.vary_connect?.filter((kind) => kind !== first?.connect), 'connect', (connect) => leg({ connect })),
    ...again(base.vary_error, 'error', (error) => body(`data: ${JSON.stringify({ error })}\n\n`)),
    ...again(base.vary_body, 'body', (value) => body(JSON.stringify(value))),
    ...again(base.vary_raw, 'body', body),
    ...again(base.vary_body_raw, 'request', (text) => ({ request: { ...base.request, body_raw: text } })),
    ...again(
      base.vary_method?.filter((method) => method !== base.request.method),
      'method',
      (method) => ({ request: { ...base.request, method } }),
    ),
  ]
}
