// What the upstream sends as a provider of another dialect: the same text in as many events, as Anthropic and Gemini write them.
import { answersOf, END_OF_MESSAGE, framed, word } from './answers.mjs'

const textOf = (id, size) => {
  let text = ''
  for (let index = id; text.length < size; index += 1) text += word(index * 5)
  return text
}

const named = (type, rest) => framed(`event: ${type}\ndata: {"type":"${type}"${rest}}\n\n`)

const ANTHROPIC_USAGE = '"cache_creation_input_tokens":0,"cache_read_input_tokens":0'

/** What a body has beside its text, roughly, in bytes. */
const AROUND = 320

export const anthropic = answersOf({
  completion: (id, size) => `{"id":"msg_01C8f${id}","type":"message","role":"assistant","model":"claude-sonnet-4-5-20250929",`
    + `"content":[{"type":"text","text":"${textOf(id, size - AROUND)}"}],"stop_reason":"end_turn","stop_sequence":null,`
    + `"usage":{"input_tokens":182,${ANTHROPIC_USAGE},"output_tokens":96,"service_tier":"standard"}}`,
  opener: (id) => Buffer.concat([
    named('message_start', `,"message":{"id":"msg_01C8f${id}","type":"message","role":"assistant","model":"claude-sonnet-4-5-20250929",`
      + `"content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":182,${ANTHROPIC_USAGE},"output_tokens":1}}`),
    named('content_block_start', ',"index":0,"content_block":{"type":"text","text":""}'),
    named('ping', ''),
  ]),
  content: (_id, _index, text) => named('content_block_delta', `,"index":0,"delta":{"type":"text_delta","text":"${text}"}`),
  finish: () => Buffer.concat([
    named('content_block_stop', ',"index":0'),
    named('message_delta', ',"delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":96}'),
    named('message_stop', ''),
    END_OF_MESSAGE,
  ]),
})

const geminiAnswer = (id, text, more, usage) =>
  `{"candidates":[{"content":{"parts":[{"text":"${text}"}],"role":"model"}${more},"index":0}],"usageMetadata":${usage},`
  + `"modelVersion":"gemini-2.5-flash","responseId":"C8f${id}aOeRDqKs"}`

const GEMINI_USAGE = '{"promptTokenCount":182,"candidatesTokenCount":96,"totalTokenCount":278,'
  + '"promptTokensDetails":[{"modality":"TEXT","tokenCount":182}]}'

const geminiEvent = (...args) => framed(`data: ${geminiAnswer(...args)}\r\n\r\n`)

export const gemini = answersOf({
  completion: (id, size) => geminiAnswer(id, textOf(id, size - AROUND), ',"finishReason":"STOP"', GEMINI_USAGE),
  // Its first event has text already.
  opener: () => Buffer.alloc(0),
  content: (id, _index, text) => geminiEvent(id, text, '', GEMINI_USAGE),
  finish: (id) => Buffer.concat([geminiEvent(id, '', ',"finishReason":"STOP"', GEMINI_USAGE), END_OF_MESSAGE]),
})
