import { isDeepStrictEqual } from 'node:util'
import type { Expectations } from './expectations.js'
import { field, type ReadAnswer } from './read-answer.js'
import type { Verdict } from './run-record.js'

/** One request of a play, and what came of it. */
export interface Round {
  readonly answer: ReadAnswer
  /** Calls by leg; undefined if requests overlapped, and only their sum is known. */
  readonly calls: Readonly<Record<string, number>> | undefined
  /** The verdict about each leg; undefined where a leg was not called. */
  readonly verdicts: Readonly<Record<string, Verdict | undefined>>
  /** What each leg was sent in this round; undefined if requests overlapped. */
  readonly received: Readonly<Record<string, readonly ReceivedFacts[]>> | undefined
  /** The client left, so that the end of the answer is not to be expected. */
  readonly aborted: boolean
  /** Provider name by leg, and the headers that the leg sends. */
  readonly legs: Readonly<Record<string, RoundLeg>>
}

interface RoundLeg {
  readonly provider: string
  readonly headers: Readonly<Record<string, string>>
}

/** What a leg knows of a call. */
export interface ReceivedFacts {
  readonly rawHeaders: readonly string[]
  readonly body: unknown
}

/** What is wrong; undefined if nothing is. */
type Problem = string | undefined
type Check<Value> = (expected: Value, round: Round) => Problem

/** The fields that are about one answer. */
type AnswerField =
  | 'leg' | 'status' | 'text' | 'text_len' | 'reasoning' | 'done_count' | 'error_events' | 'event_counts' | 'sse_bytes'
  | 'body_is_json' | 'every_event_parses' | 'first_delta_has_role' | 'sequence_exact' | 'tool_args' | 'finish_reasons'
  | 'usage_total' | 'response_headers' | 'headers_present' | 'headers_absent' | 'content_length_exact' | 'max_ms'
  | 'min_ms' | 'first_text_before_ms' | 'calls' | 'breaker' | 'upstream_header_must_not' | 'upstream_body'
  | 'error_code' | 'body_must' | 'upstream_header_must'

const took = ({ answer }: Round) => answer.endedAt - answer.sentAt

/** One check for each field; a problem says what came and what is right. */
export const answerChecks = {
  leg: (leg, { answer, aborted, legs }) => {
    const served = answer.header('understudy-served')
    if (leg === null) return served === undefined || aborted ? undefined : `served by ${served}, not by nobody`
    const prefix = `${encodeName(legs[leg]?.provider ?? leg)}/`
    return served?.startsWith(prefix) === true ? undefined : `served by ${served ?? 'nobody'}, not by ${leg}`
  },
  status: (status, { answer, aborted }) => {
    const allowed = [status].flat()
    if (aborted && answer.status === null) return undefined
    return allowed.includes(answer.status) ? undefined : `status ${answer.status}, not ${allowed.join(' or ')}`
  },
  text: (text, { answer }) => differs('text', answer.text, text),
  text_len: (length, { answer }) => differs('text_len', answer.text.length, length),
  reasoning: (text, { answer }) => differs('reasoning', answer.reasoning, text),
  done_count: (count, { answer }) => differs('[DONE]', answer.doneCount, count),
  error_events: (count, { answer }) => differs('error events', answer.errorEvents.length, count),
  event_counts: (counts, { answer }) => differs(
    'events',
    Object.fromEntries(
      Object.keys(counts).map((name) => [name, answer.events.filter((event) => event.name === name).length]),
    ),
    counts,
  ),
  sse_bytes: (_, { answer }) => (answer.isStream || /^data:/m.test(answer.bodyText)
    ? 'the error came as an event stream'
    : undefined),
  body_is_json: (_, { answer }) => (typeof answer.json === 'object' && answer.json !== null
    && answer.header('content-type')?.startsWith('application/json') === true
    ? undefined
    : `the body is not JSON: ${answer.bodyText.slice(0, 200)}`),
  every_event_parses: (_, { answer }) => unparsable(answer),
  first_delta_has_role: (_, { answer }) => {
    const choice = field(field(answer.events[0]?.json, 'choices'), 0)
    return differs('first role', field(field(choice, 'delta'), 'role'), 'assistant')
  },
  sequence_exact: (_, { answer }) => {
    const numbers = answer.events.flatMap(({ json }) => {
      const text = field(field(field(field(json, 'choices'), 0), 'delta'), 'content')
      return typeof text === 'string' && text !== '' ? [Number.parseInt(text, 10)] : []
    })
    const wrong = numbers.findIndex((number, index) => number !== index)
    if (wrong !== -1) return `number ${numbers[wrong]} came at place ${wrong}`
    return differs('numbers', numbers.length, 60_000)
  },
  tool_args: (expected, { answer }) => differs('tool arguments', answer.toolArgs, expected),
  finish_reasons: (expected, { answer }) => differs('finish reasons', answer.finishReasons, expected),
  usage_total: (total, { answer }) => differs('total tokens', answer.usageTotal, total),
  response_headers: (expected, { answer }) => joined(Object.entries(expected).map(([name, value]) => {
    const got = answer.header(name)
    return got === value || got?.startsWith(`${value};`) === true ? undefined : `${name}: ${got}, not ${value}`
  })),
  headers_present: (names, { answer }) => joined(names.map(
    (name) => (answer.header(name) === undefined ? `no header ${name}` : undefined),
  )),
  headers_absent: (names, { answer, legs }) => joined(names.map((name) => {
    const value = answer.header(name)
    // Node puts a keep-alive header of its own on what it sends; the leg's is what may not come through.
    const own = name === 'keep-alive' && Object.values(legs).every(({ headers }) => headers[name] !== value)
    return value === undefined || own ? undefined : `header ${name}: ${value}`
  })),
  content_length_exact: (_, { answer: { header, body } }) =>
    differs('content-length', header('content-length'), String(body.length)),
  max_ms: (ms, round) => (took(round) <= ms ? undefined : `took ${Math.round(took(round))} ms, more than ${ms}`),
  min_ms: (ms, round) => (took(round) >= ms ? undefined : `took ${Math.round(took(round))} ms, less than ${ms}`),
  first_text_before_ms: (ms, { answer }) => {
    const after = answer.firstTextAt === undefined ? Number.POSITIVE_INFINITY : answer.firstTextAt - answer.sentAt
    return after < ms ? undefined : `the first text came after ${Math.round(after)} ms, not before ${ms}`
  },
  calls: (expected, { calls }) => (calls === undefined ? undefined : differs('calls', pick(calls, expected), expected)),
  breaker: (expected, { verdicts }) => differs('verdicts', pick(verdicts, expected), expected),
  upstream_header_must_not: (expected, { received }) => eachLeg(expected, received, ({ rawHeaders }, secret) =>
    (rawHeaders.some((text) => text.includes(secret)) ? `was sent ${secret}` : undefined)),
  upstream_header_must: (expected, { received }) => eachLeg(expected, received, ({ rawHeaders }, secret) =>
    (rawHeaders.some((text) => text.includes(secret)) ? undefined : `was not sent ${secret}`)),
  upstream_body: (expected, { received }) => eachLeg(
    Object.fromEntries(Object.entries(expected).map(([leg, members]) => [leg, Object.entries(members)])),
    received,
    ({ body }, [name, value]) => differs(`body.${name}`, field(body, name), value),
  ),
  error_code: (code, { answer }) => {
    const body = answer.isStream ? answer.errorEvents[0]?.json : answer.json
    return differs('error code', field(field(body, 'error'), 'code'), code)
  },
  body_must: (texts, { answer }) => joined(texts.map(
    (text) => (answer.bodyText.includes(text) ? undefined : `the body has no ${text}`),
  )),
} satisfies { [Field in AnswerField]-?: Check<NonNullable<Expectations[Field]> | Extract<Expectations[Field], null>> }

/** The problem of a data line that is neither JSON nor the end marker. */
export function unparsable({ events }: ReadAnswer): Problem {
  const broken = events.find(({ json, data }) => json === undefined && data !== '[DONE]')
  return broken && `an event does not parse: ${broken.data.slice(0, 100)}`
}

/** `name: got instead of expected`, unless they are equal. */
export function differs(name: string, got: unknown, expected: unknown): Problem {
  return isDeepStrictEqual(got, expected) ? undefined : `${name}: ${show(got)} instead of ${show(expected)}`
}

function show(value: unknown): string {
  return (JSON.stringify(value) ?? 'undefined').slice(0, 300)
}

/** The members that another object has too. */
export function pick(from: Readonly<Record<string, unknown>>, like: object): Record<string, unknown> {
  return Object.fromEntries(Object.keys(like).map((key) => [key, from[key]]))
}

/** Several problems as one. */
export function joined(problems: readonly Problem[]): Problem {
  const real = problems.filter((problem) => problem !== undefined)
  return real.length === 0 ? undefined : real.join('; ')
}

function eachLeg<Item>(
  expected: Readonly<Record<string, readonly Item[]>>,
  received: Round['received'],
  check: (call: ReceivedFacts, item: Item) => Problem,
): Problem {
  if (received === undefined) return 'requests overlapped, so nobody knows which call is whose'
  return joined(Object.entries(expected).flatMap(([leg, items]) => {
    const calls = received[leg] ?? []
    if (calls.length === 0) return [`${leg} was not called`]
    return calls.flatMap((call) => items.map((item) => {
      const problem = check(call, item)
      return problem && `${leg} ${problem}`
    }))
  }))
}

/** A name as it stands in a header: UTF-8, percent-encoded outside printable ASCII. */
export function encodeName(name: string): string {
  return name.replace(/[^\x20-\x7e]+/gu, encodeURIComponent)
}
