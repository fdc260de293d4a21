import type { HostFault } from './authorize-faults.js'
import { thrownWords } from './authorize-faults.js'

/** Why `identify` did not say who asks. `came`: what it gave, in words without content. */
export type IdentifyTrouble = { readonly type: 'threw'; readonly error: unknown } | { readonly type: 'gave'; readonly came: string }

/** The host's `identify` did not say who asks, and nobody is served unidentified. */
export interface IdentifyFault {
  readonly requestId: string
  readonly trouble: IdentifyTrouble
}

/** Tells of what `identify` did. What it threw may quote a key or a header: only its kind and where it came from are said. */
export function createIdentifyFaults(tell: (fault: HostFault) => void): (fault: IdentifyFault) => void {
  return ({ requestId, trouble }) => {
    const { what, at } = trouble.type === 'threw' ? thrownWords(trouble.error) : { what: `gave ${trouble.came}, which is no caller`, at: [] }
    const advice = trouble.type === 'threw' ? '' : '; give { keyId?, key?, failoverDefaults? }, or nothing for nobody that is known'
    tell({
      code: 'UNDERSTUDY_IDENTIFY',
      about: { requestId },
      what: `identify ${what}`,
      at,
      rest: `, and the request was answered with a 500${advice}`,
    })
  }
}
