import { showDuration } from '../duration.js'
import { plainText } from '../text-width.js'
import type { LegStatus, StatusAnswer } from './status-answer.js'

interface Place {
  readonly provider: string
  readonly model?: string
  readonly region?: string | null | undefined
}

/** A leg as it is called. */
export function legName({ provider, model, region }: LegStatus): string {
  return plainText(`${provider}/${model}${region ? ` (${region})` : ''}`)
}

/** What a row says of a leg: its health, when it served last, its last failure, and what a person should know of it. */
export function legCells(leg: LegStatus, status: StatusAnswer, now: number): readonly string[] {
  const served = leg.last_served_at
  return [
    legName(leg),
    healthOf(leg, status, now),
    served == null ? 'never' : ago(served, now),
    failureOf(leg, status, now),
    [served == null ? 'unproven' : '', leg.misconfigured === true ? 'misconfigured' : ''].filter((word) => word !== '').join(', '),
  ]
}

function healthOf(leg: LegStatus, { breakers, cooldowns }: StatusAnswer, now: number): string {
  const breaker = breakers.find((one) => isAt(leg, { provider: one.provider, region: one.region }))
  const rest = cooldowns.find((one) => isAt(leg, one))
  const words: string[] = []
  if (breaker !== undefined) words.push(breakerWords(breaker, now))
  if (rest !== undefined && rest.until > now) words.push(`cooldown for ${showDuration(rest.until - now)}`)
  return words.join(', ')
}

function breakerWords({ state, failures, open_until: until }: StatusAnswer['breakers'][number], now: number): string {
  if (state === 'open' && until != null) return until > now ? `open, probe in ${showDuration(until - now)}` : 'open, probe is due'
  return state === 'closed' && (failures ?? 0) > 0 ? `closed, ${failures ?? 0} failed` : plainText(state)
}

function failureOf(leg: LegStatus, { last_failures: failures }: StatusAnswer, now: number): string {
  const failure = failures.find((one) => isAt(leg, one))
  if (failure === undefined) return ''
  return `${plainText(failure.kind)}${failure.status == null ? '' : ` ${failure.status}`}, ${ago(failure.at, now)}`
}

function isAt(leg: LegStatus, { provider, model, region }: Place): boolean {
  return leg.provider === provider && (model === undefined || leg.model === model) && (leg.region ?? undefined) === (region ?? undefined)
}

/** How long ago it was. */
export function ago(at: number, now: number): string {
  return now - at < 1_000 ? 'just now' : `${showDuration(now - at)} ago`
}
