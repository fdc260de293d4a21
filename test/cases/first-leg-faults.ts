import type { Answer, Fault, Step } from '@understudy/simulator'

/** A first leg that does not serve, or that serves oddly. */
export interface FirstLeg {
  readonly name: string
  /** `refused`: nothing listens there. */
  readonly step: Step | 'refused'
  /** Where it makes sense. Default both. */
  readonly only?: 'streamed' | 'buffered'
}

/** Text, and two tool calls whose arguments come in pieces. */
export const healthyAnswer: Answer = {
  text: ['Let me ', 'look.'],
  toolCalls: [
    { id: 'call_a', name: 'weather', arguments: '{"city":"Berlin"}', pieces: ['{"ci', 'ty":"Ber', 'lin"}'] },
    { id: 'call_b', name: 'weather', arguments: '{"city":"Kyoto"}', pieces: ['{', '"city":"Kyoto"}'] },
  ],
}

/** Cut before anything that could be text. */
const cutEvent = 'data: {"choices":[{"delta":{"con'

/** One entry for every fault that the simulator knows of a stream of events; a new one does not compile without its entry. */
const faults = {
  reset: {},
  close: {},
  end: {},
  stall: {},
  error_event: { only: 'streamed' },
  malformed_event: { only: 'streamed' },
  malformed_text: { only: 'streamed' },
} satisfies Record<Exclude<Fault['do'], 'bad_checksum'>, { readonly only?: 'streamed' }>

const connects = {
  accept_stall: true,
  reset_before_headers: true,
  reset_after_headers: true,
} satisfies Record<NonNullable<Step['connect']>, true>

const empties = {
  bytes: true,
  done_only: true,
  no_choices: true,
  no_content: true,
} satisfies Record<NonNullable<Step['empty']>, true>

const statuses = [401, 402, 403, 404, 408, 409, 424, 425, 429, 500, 502, 503, 504, 520, 529, 598]

/** Every way in which the first leg may fail before it has said anything. */
export const failingFirstLegs: readonly FirstLeg[] = [
  { name: 'refused', step: 'refused' },
  ...statuses.map((status): FirstLeg => ({ name: `status ${status}`, step: { status } })),
  { name: 'status 502 with a page', step: { status: 502, html: true } },
  { name: 'status 400 for a key that is wrong', step: { apiKey: 'another' } },
  ...keysOf(connects).map((connect): FirstLeg => ({ name: connect, step: { connect } })),
  ...keysOf(empties).map((empty): FirstLeg => ({ name: `empty: ${empty}`, step: { empty } })),
  // A malformed event that can have carried no text is no failure, and the opener has none.
  ...keysOf(faults).filter((kind) => !kind.startsWith('malformed')).map((kind): FirstLeg => (
    { name: `${kind} at the start`, step: { fault: { do: kind } }, ...faults[kind] })),
  ...keysOf(faults).filter((kind) => kind !== 'malformed_event').map((kind): FirstLeg => (
    { name: `${kind} after the opener`, step: { fault: { do: kind, afterEvents: 1 } }, only: 'streamed' })),
  ...(['reset', 'close', 'end', 'stall'] as const).map((kind): FirstLeg => ({
    name: `${kind} in the middle of the JSON`,
    step: { fault: { do: kind, afterBytes: 40 } },
    only: 'buffered',
  })),
  { name: 'nothing but malformed events', step: { chunks: [{ text: `${cutEvent}\n\n`, repeat: 4 }] } },
  { name: 'error in a 200', step: { error: { type: 'server_error', code: 'server_error', message: 'inside' } } },
  { name: 'page in a 200', step: { html: true } },
  { name: 'null', step: { body: null } },
  { name: 'text that is not JSON', step: { body: 'ok' } },
  { name: 'slow headers', step: { delayMs: 5_000 } },
  { name: 'slow first event', step: { headersFirst: true, firstEventDelayMs: 5_000 } },
  { name: 'endless pings', step: { chunks: [{ text: ': ping\n\n', repeat: 500, every_ms: 20 }] }, only: 'streamed' },
  { name: 'a byte a second', step: { trickle: { bytes: 1, everyMs: 1_000 } } },
]

/** First legs that serve, each in its own odd way. */
export const oddFirstLegs: readonly FirstLeg[] = [
  { name: 'comments', step: { comments: 'between' }, only: 'streamed' },
  { name: 'junk before', step: { prefixJunk: ['data: null', 'data:', 'event: ping', 'data: {}'] }, only: 'streamed' },
  { name: 'a malformed event', step: { prefixJunk: [cutEvent] }, only: 'streamed' },
  { name: 'CRLF', step: { lineEnd: '\r\n' }, only: 'streamed' },
  { name: 'CR', step: { lineEnd: '\r' }, only: 'streamed' },
  { name: 'byte order mark', step: { bom: true } },
  { name: 'seven bytes at a time', step: { writeSize: 7 } },
  { name: 'gzip', step: { compress: 'gzip' } },
  { name: 'deflate', step: { compress: 'deflate' } },
  { name: 'brotli', step: { compress: 'br' } },
  { name: 'JSON for a stream', step: { jsonForStream: true }, only: 'streamed' },
  {
    name: 'a stream for JSON',
    step: { streamForJson: true, answer: { ...healthyAnswer, usage: 'always' } },
    only: 'buffered',
  },
  { name: 'no [DONE]', step: { done: 0 }, only: 'streamed' },
  { name: 'two [DONE] and late text', step: { done: 2, lateText: 'LATE' }, only: 'streamed' },
  { name: 'another content type', step: { contentType: 'text/plain' } },
]

function keysOf<Key extends string>(table: Readonly<Record<Key, unknown>>): readonly Key[] {
  return Object.keys(table) as Key[]
}
