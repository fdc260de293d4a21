import type { Mode } from './questions.js'
import type { Kind } from './sdk-host.js'

/** What a client makes of an answer, whatever it calls it. */
export interface SdkAnswer {
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly { readonly id: unknown, readonly name: string, readonly input: unknown }[]
  readonly finish: unknown
  readonly usage: unknown
}

/** A client of a library that speaks one of the vendors' APIs. */
export interface SdkClient {
  readonly name: string
  /** Asks, and with tools goes on with what it got, at `nextOrigin` if there is one: the results of the calls, and another question. */
  readonly ask: (origin: string, mode: Mode, kind: Kind, nextOrigin?: string) => Promise<readonly SdkAnswer[]>
  /** Reads a stream of plain text; `error` is what ended it. Absent for a library that cannot tell. */
  readonly readUntilError?: ((origin: string) => Promise<{ readonly text: string, readonly error: unknown }>) | undefined
}

export const SYSTEM = 'Be brief.'
export const FIRST_QUESTION = 'What is the weather here?'
export const NEXT_QUESTION = 'And tomorrow?'
export const LAST_QUESTION = 'Thank you. And then?'
export const PIXEL = 'iVBORw0KGgo='
export const WEATHER = {
  name: 'weather',
  description: 'Says the weather.',
  schema: { type: 'object' as const, properties: { city: { type: 'string' as const } }, required: ['city'] },
}
