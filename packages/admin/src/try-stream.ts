import type { LegTrial } from '@understudy/http'

import { snakeCase } from './snake-case.js'

/** A line of JSON for each leg, as it comes. A trial that breaks off ends with a line `{ error }`. */
export async function* tryLines(trials: AsyncIterable<LegTrial>): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for await (const trial of trials) yield line(snakeCase(trial))
  } catch {
    yield line({ error: { code: 'internal_error', message: 'the trial broke off inside Understudy' } })
  }
}

function line(value: unknown): Uint8Array {
  return Buffer.from(`${JSON.stringify(value)}\n`)
}
