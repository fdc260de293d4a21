import type { Case, CaseRequest } from './case.js'
import type { Round } from './check-answer.js'
import type { FakeLeg } from './fake-legs.js'
import { providerNameOf } from './fallback-input.js'
import type { Host } from './hosts.js'
import { sendRaw, type RawRequest } from './raw-client.js'
import { readAnswer } from './read-answer.js'
import type { RunRecord } from './run-record.js'

/** How many of a long sequence are on the way at once: `sequence` is about their number, not about their order. */
const atOnce = 20
const longSequence = 100

/** What requests are sent to, and what is known of them. */
export interface Stage {
  readonly of: Case
  readonly host: Host
  readonly legs: readonly FakeLeg[]
  readonly record: RunRecord
  readonly key: string
}

/** Sends what the case says, as often as it says. */
export async function createRounds(stage: Stage): Promise<{
  readonly rounds: readonly Round[]
  readonly totalCalls: Readonly<Record<string, number>>
}> {
  const { of, legs, record, key } = stage
  const { sequence = 1, parallel = 1 } = of
  const width = parallel > 1 ? parallel : sequence >= longSequence ? atOnce : 1
  const count = Math.max(sequence, parallel)
  const before = legs.map((leg) => leg.received.length)
  const ids = Array.from({ length: count }, (_, index) => `play-${key}-${index}`)
  const rounds: Round[] = []
  for (let start = 0; start < count; start += width) {
    const batch = ids.slice(start, start + width)
    rounds.push(...await Promise.all(batch.map((id, index) => playRound(stage, id, start + index, width === 1))))
  }
  const totalCalls = Object.fromEntries(legs.map((leg, place) => {
    const earlier = leg.reachable ? (before[place] ?? 0) : 0
    return [leg.name, callsOf(leg, stage, record, ids) - earlier]
  }))
  return { rounds, totalCalls }
}

/** One request; `alone`: no other is on the way. */
export async function playRound(stage: Stage, requestId: string, index: number, alone: boolean): Promise<Round> {
  const { of, host, legs, record } = stage
  const before = legs.map((leg) => leg.received.length)
  const raw = await sendRaw(host.port, requestOf(of, requestId, index))
  const answer = readAnswer(raw)
  const aborted = raw.endedBy === 'abort'
  const reaches = of.expect.calls === undefined || Object.values(of.expect.calls).some((count) => count > 0)
  if (reaches && of.expect.status !== 400) await record.waitForEnd(requestId).catch(() => undefined)
  if (of.expect.breaker !== undefined) await record.waitForEnd(requestId)
  const received = Object.fromEntries(legs.map((leg, place) => [leg.name, leg.received.slice(before[place])]))
  return {
    answer,
    aborted,
    calls: alone
      ? Object.fromEntries(legs.map((leg) => [
        leg.name,
        leg.reachable ? (received[leg.name]?.length ?? 0) : callsOf(leg, stage, record, [requestId]),
      ]))
      : undefined,
    received: alone ? received : undefined,
    verdicts: Object.fromEntries(
      legs.map(({ name }) => [name, record.verdictOf(requestId, providerNameOf(of, name))]),
    ),
    legs: Object.fromEntries(
      of.upstream.map(({ leg, headers = {} }) => [leg, { provider: providerNameOf(of, leg), headers }]),
    ),
  }
}

/** Of a leg that nothing can reach the attempts are counted. */
function callsOf(leg: FakeLeg, { of }: Stage, record: RunRecord, requestIds: readonly string[]): number {
  if (leg.reachable) return leg.received.length
  return requestIds.reduce((sum, id) => sum + record.attemptsOf(id, providerNameOf(of, leg.name)), 0)
}

/** The request of a case, as bytes. */
export function requestOf({ request, client = {} }: Case, requestId: string, index: number): RawRequest {
  return {
    method: request.method,
    path: request.path,
    headers: { ...request.headers, 'x-request-id': requestId },
    body: request.method === 'POST' ? bodyOf(request) : undefined,
    http: client.http,
    abortAfterMs: abortAfter(client.abort_after_ms, index),
    readRateBps: client.read_rate_bps,
  }
}

function bodyOf({ body, body_raw, body_b64 }: CaseRequest): Buffer {
  if (body_b64 !== undefined) return Buffer.from(body_b64, 'base64')
  if (body_raw !== undefined) return Buffer.from(body_raw)
  const text = JSON.stringify(body, (_, value: unknown) => {
    const [, piece, count] = (typeof value === 'string' && /^@repeat:(.):(\d+)$/.exec(value)) || []
    return piece === undefined ? value : piece.repeat(Number(count))
  })
  return Buffer.from(text)
}

/** `random:0-400` is spread evenly over the rounds, so that every run is the same. */
function abortAfter(abort: number | string | undefined, index: number): number | undefined {
  if (typeof abort !== 'string') return abort
  const [, from = '0', to = '0'] = /^random:(\d+)-(\d+)$/.exec(abort) ?? []
  return Number(from) + ((index * 137) % (Number(to) - Number(from) + 1))
}
