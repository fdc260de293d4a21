import type { Case } from './case.js'
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
    case 'B108':
      return { ...given, config: { ...given.config, firstTokenMs: 5_000 } }
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
    default:
      return given
  }
}

function expecting(given: Case, change: Case['expect'], without: readonly (keyof Case['expect'])[] = []): Case {
  const kept = Object.entries({ ...given.expect, ...change }).filter(([key]) => !without.some((name) => name === key))
  return { ...given, expect: Object.fromEntries(kept) }
}
