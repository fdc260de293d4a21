import type { Case, CaseLeg } from './case.js'
import type { SetUp } from './hosts.js'

/** A case as it is read in a set-up: the data's own notes, put into its fields. */
export function readingOf(given: Case, setUp: SetUp): Case {
  const parsed = setUp === 'express+json' || setUp === 'koa+bodyparser'
  switch (given.id) {
    case 'B003': {
      const verdict = given.upstream[0]?.status === 429 ? 'cooldown' : 'charge'
      return expecting(given, { breaker: { ...given.expect.breaker, A: verdict } })
    }
    case 'B004':
      // Such a URL never gets as far as a request.
      if (given.upstream[0]?.connect !== 'bad_url') return given
      return { ...given, expect: { mount_refused: ['providers.A.baseURL'] } }
    case 'B078':
    case 'B083':
    case 'B153':
      // How fast so much comes is up to this machine; the cases are about what becomes of it.
      return { ...given, config: { ...given.config, firstTokenMs: 5_000, idleMs: 5_000, overallMs: 0 } }
    case 'B102':
      // With a limit of 300 ms nobody could say whether the limit or the cap on what is read ended it.
      return { ...given, config: { ...given.config, firstTokenMs: 3_000 } }
    case 'B108':
      return { ...given, config: { ...given.config, firstTokenMs: 5_000 } }
    case 'B115':
      // A total, and whoever serves, the answer is whole. How long fifty take to come in is up to this machine, so A
      // takes 900 ms: behind its answer the next request may be a probe too.
      return expecting(
        { ...given, upstream: given.upstream.map((leg) => (leg.leg === 'A' ? slowed(leg, 900) : leg)) },
        { total_calls: given.expect.calls ?? {}, done_count: 1, error_events: 0 },
        ['calls', 'leg'],
      )
    case 'B118':
      // With the limits off the first of the five hangs as the probe; with them it is charged. The others pass A by.
      if (given.config !== undefined) return { ...given, sequence: 1 }
      return {
        ...expecting(given, { calls: { A: 0, B: 1 }, breaker: { B: 'success' } }),
        sequence: 4,
        config: { firstTokenMs: 60_000, overallMs: 0 },
      }
    case 'B124':
      return {
        ...expecting(given, { leg: 'A', status: 200, text: 'alfa-1 alfa-2', done_count: 1, error_events: 0 }),
        upstream: [healthyLeg('A', 'alfa-1 alfa-2'), healthyLeg('B', 'beta-1 beta-2')],
        config: { firstTokenMs: 5_000, idleMs: 5_000 },
      }
    case 'B125':
      // Its calls hold until A is open.
      return { ...given, sequence: 3 }
    case 'B126':
      return given.config === undefined ? { ...given, config: { recoveryMs: { A: 800, B: 1_500 } } } : given
    case 'B131':
      // A host's parser may refuse the body before we see it, with the host's own page.
      return parsed ? expecting(given, { host_page: true }, ['body_is_json']) : given
    case 'B136': {
      if (given.request.method === 'POST') return given
      const status = [given.expect.status ?? []].flat()
      // Express answers OPTIONS by itself.
      const allowed = given.request.method === 'OPTIONS' && setUp.startsWith('express') ? [...status, 200] : status
      return expecting(given, { status: allowed, host_page: true })
    }
    case 'B141':
      if (given.config?.legNames?.A?.includes('\n') !== true) return given
      return { ...given, expect: { mount_refused: ['line breaks'] } }
    case 'B150':
      // The first leg is the one that holds the state.
      return { ...given, upstream: given.upstream.map((leg) => (leg.leg === 'A' ? { ...leg, dialect: 'openai-responses' } : leg)) }
    case 'B161':
      // A is open before the reload, so it is not asked, and nothing is charged.
      return expecting(given, { breaker: { B: 'success' }, breaker_state: { A: 'open' } })
    default:
      return given
  }
}

function slowed(leg: CaseLeg, ms: number): CaseLeg {
  const chunks = (leg.chunks ?? []).map((chunk) => (chunk.delay_ms === undefined ? chunk : { ...chunk, delay_ms: ms }))
  return { ...leg, chunks }
}

function healthyLeg(leg: string, content: string): CaseLeg {
  const event = (delta: object, reason: string | null) =>
    `data: ${JSON.stringify({ id: `cc-${leg}`, choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`
  const text = `${event({ content }, null)}${event({}, 'stop')}data: [DONE]\n\n`
  return { leg, status: 200, headers: { 'content-type': 'text/event-stream' }, chunks: [{ text, then: 'end' }] }
}

function expecting(given: Case, change: Case['expect'], without: readonly (keyof Case['expect'])[] = []): Case {
  const kept = Object.entries({ ...given.expect, ...change }).filter(([key]) => !without.some((name) => name === key))
  return { ...given, expect: Object.fromEntries(kept) }
}
