import { suggestName } from '@understudy/config'

import { ChainControlError } from './chain-control-error.js'

const AUTHOR = ['actor', 'reason', 'expectedVersion'] as const

/** Throws a `ChainControlError` for members that no such call has, and for what is missing or empty of those it needs. */
export function checkRequest(call: string, request: unknown, needs: readonly string[], more: readonly string[] = []): void {
  const known = [...needs, ...more, ...AUTHOR]
  if (typeof request !== 'object' || request === null) {
    throw new ChainControlError('invalid_request', `${call} was given no request; write ${call}({ ${[...needs, 'actor', 'reason'].join(', ')} })`)
  }
  const stranger = Object.keys(request).find((name) => !known.includes(name))
  if (stranger !== undefined) {
    throw new ChainControlError('invalid_request', `'${stranger.slice(0, 60)}' is no member of what ${call} takes; ${suggestName(stranger, known)}`)
  }
  for (const name of needs) {
    if (Reflect.get(request, name) === undefined) throw new ChainControlError('invalid_request', `${name} is missing: ${call} needs ${needs.join(' and ')}`)
  }
  for (const [name, what] of [['actor', 'who'], ['reason', 'why']] as const) {
    const text: unknown = Reflect.get(request, name)
    if (typeof text !== 'string' || text.trim() === '') throw new ChainControlError('invalid_request', `${name} is missing: say ${what}`)
  }
}
