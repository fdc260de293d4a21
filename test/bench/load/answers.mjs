// The bytes that the upstream sends, made once. Events look like OpenAI's: an id, a time, a model, a fingerprint, and
// content that differs, some of it with escapes; each event is an HTTP chunk of its own, as providers send them.

const WORDS = [
  ' the', ' understudy', ' knows', ' every', ' line', ',', ' and', ' waits', ' in', ' the wings', '.\\n\\n', ' \\"Places',
  ' please\\"', ' caf\u00e9', ' \\u2014', '```js\\n', ' const', ' answer', ' =', ' 42', '\\t//', ' \u65e5\u672c', ' \\\\o/', ' curtain',
]
const OBFUSCATION = 'q8ZxV3pLw0TnR5yB'
const CREATED = 1_757_000_000

export const word = (index) => WORDS[index % WORDS.length]

const chunkText = (id, delta, finishReason, index) =>
  `data: {"id":"chatcmpl-C8f${id}","object":"chat.completion.chunk","created":${CREATED + id},`
  + '"model":"gpt-4o-mini-2024-07-18","service_tier":"default","system_fingerprint":"fp_560af6e559",'
  + `"choices":[{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${finishReason}}],`
  + `"obfuscation":"${OBFUSCATION.slice(0, 4 + (index % 12))}"}\n\n`

export const framed = (text) => {
  const bytes = Buffer.from(text)
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])
}

const opener = (id) => framed(chunkText(id, '{"role":"assistant","content":"","refusal":null}', 'null', 0))
const textEvent = (id, index, text) => framed(chunkText(id, `{"content":"${text}"}`, 'null', index))
const contentEvent = (id, index) => textEvent(id, index, word(index * 7 + id))
export const END_OF_MESSAGE = Buffer.from('0\r\n\r\n')

const finish = (id) => Buffer.concat([framed(chunkText(id, '{}', '"stop"', 3)), framed('data: [DONE]\n\n'), END_OF_MESSAGE])

const PROVIDER_HEADERS = [
  'date: Mon, 03 Nov 2025 10:00:00 GMT',
  'openai-processing-ms: 212',
  'openai-version: 2020-10-01',
  'x-ratelimit-limit-requests: 10000',
  'x-ratelimit-remaining-requests: 9999',
  'x-request-id: req_6f1f0c0de5b94b3f8f8f',
  'connection: keep-alive',
]

const head = (status, headers) => Buffer.from([`HTTP/1.1 ${status}`, ...PROVIDER_HEADERS, ...headers, '', ''].join('\r\n'))

export const STREAM_HEAD = head('200 OK', ['content-type: text/event-stream; charset=utf-8', 'transfer-encoding: chunked'])

export const jsonAnswer = (status, text) => {
  const body = Buffer.from(text)
  return Buffer.concat([head(status, ['content-type: application/json', `content-length: ${body.length}`]), body])
}

const completionText = (id, size) => {
  const before = `{"id":"chatcmpl-C8f${id}","object":"chat.completion","created":${CREATED + id},"model":"gpt-4o-mini-2024-07-18",`
    + '"choices":[{"index":0,"message":{"role":"assistant","content":"'
  const after = '","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"}],'
    + '"usage":{"prompt_tokens":182,"completion_tokens":96,"total_tokens":278,"prompt_tokens_details":{"cached_tokens":0,'
    + '"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0}},"service_tier":"default",'
    + '"system_fingerprint":"fp_560af6e559"}'
  let content = ''
  for (let index = id; before.length + content.length + after.length < size; index += 1) content += word(index * 5)
  return before + content + after
}

const VARIANTS = [0, 1, 2, 3, 4, 5, 6, 7]

/** Eight answers of each kind, so that no two in a row are the same bytes. */
export const variants = (make) => VARIANTS.map(make)

export const json64k = variants((id) => jsonAnswer('200 OK', completionText(id, 65_536)))
export const error500 = variants(() => jsonAnswer('500 Internal Server Error',
  '{"error":{"message":"The server had an error while processing your request.","type":"server_error","param":null,"code":null}}'))

/** Content events of one burst; with the role opener and the finish it is three more. */
export const BURST_EVENTS = 100
export const EVENTS_OF_A_BURST = BURST_EVENTS + 3

/** The same with events of other sizes: how many of each, and the bytes of one, roughly. */
export const SIZED_BURSTS = new Map([[270, 100], [2700, 100], [27_000, 20], [270_000, 4]])
const sizedEvent = (id, index, size) => {
  let content = word(index * 7 + id)
  for (let at = index; content.length < size - 270; at += 1) content += word(at * 5)
  return textEvent(id, index, content)
}
export const sizedBurst = (size) => variants((id) => Buffer.concat([
  STREAM_HEAD, opener(id), ...Array.from({ length: SIZED_BURSTS.get(size) }, (_, index) => sizedEvent(id, index, size)), finish(id),
]))

/**
 * What a dialect's provider answers, made of how it writes a whole answer of some size, what opens a stream, one piece of text, and what
 * ends it: `dwellEvent` is a first token with the microseconds that the upstream sat on it, so that the client can take them off.
 */
export const answersOf = ({ completion, opener, content, finish }) => ({
  json1k: variants((id) => jsonAnswer('200 OK', completion(id, 1024))),
  burst: variants((id) => Buffer.concat([
    STREAM_HEAD, opener(id), ...Array.from({ length: BURST_EVENTS }, (_, index) => content(id, index, word(index * 7 + id))), finish(id),
  ])),
  opening: variants((id) => Buffer.concat([STREAM_HEAD, opener(id)])),
  firstContent: variants((id) => content(id, 0, word(id))),
  singleEvents: Array.from({ length: 96 }, (_, index) => content(index % 8, index, word(index * 7 + index % 8))),
  ending: variants(finish),
  dwellEvent: (id, microseconds) => content(id, 1, `dwell ${String(microseconds).padStart(9, '0')}`),
})

export const openai = answersOf({ completion: completionText, opener, content: textEvent, finish })

/** Failures that a status does not show. */
export const errorIn200 = variants((id) => Buffer.concat([
  STREAM_HEAD, opener(id),
  framed('data: {"error":{"message":"The server had an error.","type":"server_error","param":null,"code":null}}\n\n'),
  END_OF_MESSAGE,
]))
/** A JSON error to a request for a stream, under a status that says all is well. */
export const jsonErrorIn200 = variants(() => jsonAnswer('200 OK',
  '{"error":{"message":"The server had an error.","type":"server_error","param":null,"code":null}}'))
export const endBeforeContent = variants((id) => Buffer.concat([STREAM_HEAD, opener(id), END_OF_MESSAGE]))
export const endAfterContent = variants((id) => Buffer.concat([
  STREAM_HEAD, opener(id), contentEvent(id, 0), contentEvent(id, 1), END_OF_MESSAGE,
]))
