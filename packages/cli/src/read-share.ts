import { quote } from '@understudy/config'
import { CliError } from './cli-error.js'
import { EXIT } from './exit-code.js'

/** A part of all, over 0 and at most 1, from `5%` or `0.05`. */
export function readShare(text: string): number {
  const parts = /^(\d+(?:\.\d+)?|\.\d+)\s*(%?)$/.exec(text.trim())
  const share = parts === null ? Number.NaN : Number(parts[1]) / (parts[2] === '%' ? 100 : 1)
  if (share > 0 && share <= 1) return share
  throw new CliError(EXIT.wrongUse, `--share is ${quote(text)}; it must be over 0 and at most 100%: 5% or 0.05`, { code: 'wrong_use', usageOf: 'drill' })
}
