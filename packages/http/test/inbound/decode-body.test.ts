import fc from 'fast-check'
import t from 'tap'
import { z } from 'zod'

import { decodeBody, rejectContentType } from '../../src/inbound/decode-body.js'
import type { InboundBody } from '../../src/inbound/request.js'
import type { BodyShape } from '../../src/inbound/schemas.js'
import { chatBody, contentsBody, messagesBody, responsesBody } from '../../src/inbound/schemas.js'

const GOOD = { model: 'chat', messages: [{ role: 'user', content: 'Hello' }] }

function bytes(text: string | Uint8Array): InboundBody {
  return { type: 'bytes', bytes: typeof text === 'string' ? Buffer.from(text) : text }
}

function decode(body: InboundBody) {
  return decodeBody(body, chatBody)
}

/** Status, code, message, param. */
function refusal(body: InboundBody): readonly unknown[] | undefined {
  const decoded = decode(body)
  if (!('rejection' in decoded)) return undefined
  const { status, code, message, param } = decoded.rejection
  return [status, code, message, param]
}

/** An object that is `levels` deep. */
function nested(levels: number): string {
  return `{"messages":[{"role":"user","content":"x"}],"deep":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
}

t.test('a content type is JSON, or absent', async (t) => {
  const taken = [
    undefined,
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset=utf-8',
    ' application/json ',
    'application/vnd.api+json',
    'application/problem+json; x=y',
  ]
  for (const type of taken) t.equal(rejectContentType({ 'content-type': type }), undefined, String(type))
  for (const type of ['text/plain', 'application/jsonp', 'application/x-www-form-urlencoded', '+json', 'json', '', 'multipart/form-data; boundary=x']) {
    t.match(rejectContentType({ 'content-type': type }), { status: 415, code: 'unsupported_media_type' }, type)
  }
  t.equal(
    rejectContentType({ 'content-type': 'x'.repeat(9_999) })?.message,
    `content-type is '${'x'.repeat(64)}'; send application/json`,
    'a long one is not sent back whole',
  )
  t.match(rejectContentType({ 'content-type': ['text/plain', 'application/json'] }), { status: 415 })
})

t.test('what is no body is refused with what to do about it', async (t) => {
  t.strictSame(refusal({ type: 'too_large', limit: 12 }), [
    413, 'request_too_large', 'the body is larger than 12 bytes (maxBodyBytes)', undefined,
  ])
  t.match(refusal({ type: 'consumed' }), [400, 'body_consumed', /mount Understudy before it/])
  t.match(refusal({ type: 'unreadable', reason: 'aborted' }), [400, 'invalid_request_error', 'the body broke off'])
  t.match(refusal({ type: 'unreadable', reason: 'encoding' }), [400, 'invalid_request_error', /content-encoding/])
  t.match(refusal({ type: 'unreadable', reason: 'unsupported_encoding' }), [415, 'unsupported_media_type', /gzip/])
})

t.test('an encoding that is not read is named where it looks like a name, with those that are', async (t) => {
  const told = (encoding: string | undefined) => {
    const decoded = decodeBody({ type: 'unreadable', reason: 'unsupported_encoding' }, chatBody, { 'content-encoding': encoding })
    return 'rejection' in decoded && decoded.rejection.message
  }
  const known = (name: string) => `content-encoding is '${name}'; send gzip, deflate, br or identity`
  t.equal(told('zstd'), known('zstd'))
  t.equal(told(' X-a.b_1 '), known('X-a.b_1'))
  t.equal(told('z'.repeat(64)), known('z'.repeat(64)))
  for (const odd of [undefined, '', 'z'.repeat(65), 'gzip, br', "z'; drop", 'z\u00e9', 'a\nb']) {
    t.equal(told(odd), 'content-encoding is not one of gzip, deflate, br, identity', String(odd))
  }
})

t.test('what is no JSON is refused without a word of it', async (t) => {
  const secret = 'the-prompt-of-a-client'
  for (const body of [`{"a":"${secret}"`, `${secret}`, `{"${secret}":1}}`, `{'a':'${secret}'}`, '[1,]', 'NaN']) {
    const [status, code, message, param] = refusal(bytes(body)) ?? []
    t.strictSame([status, code, param], [400, 'invalid_json', undefined], body)
    t.match(message, /^the body is not valid JSON \(line 1, column \d+\)$/, body)
  }
  t.strictSame(refusal(bytes('')), [400, 'invalid_json', 'the body is empty; send a JSON object', undefined])
  t.strictSame(refusal(bytes(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))), [
    400, 'invalid_json', 'the body is not valid UTF-8', undefined,
  ])
  t.strictSame(refusal(bytes(Buffer.from('{"a":"\ud800"}', 'utf16le'))), [400, 'invalid_json', 'the body is not valid UTF-8', undefined])
})

t.test('the place where a body stops being JSON is said', async (t) => {
  t.equal(refusal(bytes('{\n  "model": "chat",\n  "messages": [{},]\n}'))?.[2], 'the body is not valid JSON (line 3, column 19)')
  t.equal(refusal(bytes('\ufeff{"model": "chat"'))?.[2], 'the body is not valid JSON (line 1, column 17)')
})

t.test('what is no object is refused', async (t) => {
  const named = { null: 'null', '[]': 'an array', '"text"': 'a string', '1': 'a number', true: 'a boolean' }
  for (const [json, name] of Object.entries(named)) {
    const expected = [400, 'invalid_request_error', `the body is ${name}; send a JSON object`, undefined]
    t.strictSame(refusal(bytes(json)), expected, json)
    t.strictSame(refusal({ type: 'parsed', value: JSON.parse(json) }), expected, `${json}, parsed`)
  }
  t.match(refusal({ type: 'parsed', value: undefined }), [400, 'invalid_request_error', 'the body is undefined; send a JSON object'])
})

t.test('a wrong shape is refused with the path of the field', async (t) => {
  const paths: readonly (readonly [unknown, string])[] = [
    [{}, 'messages'],
    [{ ...GOOD, messages: [] }, 'messages'],
    [{ ...GOOD, messages: 'Hello' }, 'messages'],
    [{ ...GOOD, messages: [null] }, 'messages[0]'],
    [{ ...GOOD, messages: [GOOD.messages[0], { content: 'x' }] }, 'messages[1].role'],
    [{ ...GOOD, messages: [{ role: 'user', content: 5 }] }, 'messages[0].content'],
    [{ ...GOOD, model: 5 }, 'model'],
    [{ ...GOOD, stream: 'yes' }, 'stream'],
    [{ ...GOOD, temperature: 'hot' }, 'temperature'],
    [{ ...GOOD, stream_options: { include_usage: 1 } }, 'stream_options.include_usage'],
    [{ ...GOOD, tools: [{ function: {} }] }, 'tools[0].function.name'],
    [{ ...GOOD, messages: [{ role: 'assistant', tool_calls: [{ function: { name: 1 } }] }] }, 'messages[0].tool_calls[0].function.name'],
  ]
  for (const [body, path] of paths) {
    for (const form of [bytes(JSON.stringify(body)), { type: 'parsed', value: body } as const]) {
      const [status, code, message, param] = refusal(form) ?? []
      t.strictSame([status, code, param], [400, 'invalid_request_error', path])
      t.ok(String(message).startsWith(`${path}: `), String(message))
    }
  }
})

t.test('nesting over 200 levels is refused, however deep', async (t) => {
  t.equal(refusal(bytes(nested(200))), undefined)
  const tooDeep = [400, 'invalid_request_error', 'deep: the body is nested over 200 levels deep there', 'deep']
  t.strictSame(refusal(bytes(nested(201))), tooDeep)
  t.strictSame(refusal(bytes(nested(200_000))), tooDeep)
  t.strictSame(refusal({ type: 'parsed', value: JSON.parse(nested(201)) }), tooDeep)
  const objects = `${'{"a":'.repeat(201)}1${'}'.repeat(201)}`
  t.strictSame(refusal(bytes(objects)), [400, 'invalid_request_error', 'a: the body is nested over 200 levels deep there', 'a'])
  t.match(refusal(bytes(`{"${'n'.repeat(9_999)}":${'['.repeat(200)}${']'.repeat(200)}}`)), [400, 'invalid_request_error', String, 'n'.repeat(50)])
})

t.test('of a large array in any member the first item that does not fit is named, and no other is looked at', async (t) => {
  const zeros: unknown[] = new Array(300_000).fill(0)
  const text = { role: 'user', content: 'x' }
  const turn = { parts: [{ text: 'x' }] }
  const bodies: readonly (readonly [BodyShape, object, string])[] = [
    [chatBody, { ...GOOD, models: zeros }, 'models[0]'],
    [chatBody, { ...GOOD, models: [...new Array(200).fill('a/b'), 5] }, 'models[200]'],
    [chatBody, { ...GOOD, fallback_models: zeros }, 'fallback_models[0]'],
    [chatBody, { ...GOOD, redundancy: { on: zeros } }, 'redundancy.on[0]'],
    [chatBody, { ...GOOD, messages: zeros }, 'messages[0]'],
    [chatBody, { ...GOOD, messages: [text, { role: 'user', content: zeros }] }, 'messages[1].content[0]'],
    [chatBody, { ...GOOD, messages: [{ role: 'assistant', tool_calls: zeros }] }, 'messages[0].tool_calls[0]'],
    [chatBody, { ...GOOD, tools: zeros }, 'tools[0]'],
    [chatBody, { ...GOOD, stop: zeros }, 'stop[0]'],
    [messagesBody, { messages: [text], system: zeros }, 'system[0]'],
    [messagesBody, { messages: [text], stop_sequences: zeros }, 'stop_sequences[0]'],
    [messagesBody, { messages: [{ role: 'user', content: zeros }] }, 'messages[0].content[0]'],
    [responsesBody, { input: zeros }, 'input[0]'],
    [responsesBody, { input: 'x', include: zeros }, 'include[0]'],
    [contentsBody, { contents: zeros }, 'contents[0]'],
    [contentsBody, { contents: [{ parts: zeros }] }, 'contents[0].parts[0]'],
    [contentsBody, { contents: [turn], tools: [{ functionDeclarations: zeros }] }, 'tools[0].functionDeclarations[0]'],
    [contentsBody, { contents: [turn], generationConfig: { stopSequences: zeros } }, 'generationConfig.stopSequences[0]'],
  ]
  for (const [shape, value, path] of bodies) {
    const decoded = decodeBody({ type: 'parsed', value }, shape)
    t.match(decoded, { rejection: { status: 400, code: 'invalid_request_error', param: path } }, path)
    t.ok(JSON.stringify(decoded).length < 300, 'and the answer is short')
  }
})

t.test('of many unknown members a few are named', async (t) => {
  const redundancy = Object.fromEntries(Array.from({ length: 10_000 }, (_each, index) => [`k${index}`, 1]))
  t.match(refusal({ type: 'parsed', value: { ...GOOD, redundancy } }), [
    400, 'invalid_request_error', 'redundancy: has a member that is not known here: k0, k1, k2, k3, k4 and 9995 more', 'redundancy',
  ])
})

t.test('odd bodies pass as they are', async (t) => {
  const odd = [
    '{"messages":[{"role":"user","content":"x"}],"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
    '{"messages":[{"role":"user","content":"\\u0000"}]}',
    '{"messages":[{"role":"user","content":"\\ud800"}]}',
    '{"messages":[{"role":"user","content":[{"type":"anything","x":1}]}],"a field of next year":1}',
    '{"messages":[{"role":"a role of next year","content":null}],"model":null,"temperature":null,"tools":null}',
  ]
  for (const json of odd) {
    const body = bytes(json)
    const decoded = decode(body)
    if ('rejection' in decoded) {
      t.fail(json)
      continue
    }
    t.strictSame(JSON.stringify(decoded.value), JSON.stringify(JSON.parse(json)), json)
    t.equal(decoded.raw, body.type === 'bytes' && body.bytes, 'with its own bytes')
  }
  t.notOk('polluted' in {}, 'and no prototype is written to')
})

t.test('a byte-order mark is no part of the JSON', async (t) => {
  t.match(decode(bytes(`\ufeff${JSON.stringify(GOOD)}`)), { value: GOOD })
})

t.test('bytes that are a window on a larger buffer are read as that window', async (t) => {
  const json = Buffer.from(JSON.stringify(GOOD))
  const around = new Uint8Array(json.length + 20).fill(0x7b)
  around.set(json, 10)
  t.match(decode(bytes(around.subarray(10, 10 + json.length))), { value: GOOD })
})

t.test('whatever comes is a value or a rejection', async () => {
  const isDecoded = (body: InboundBody): boolean => {
    const decoded = decode(body)
    if (!('rejection' in decoded)) return typeof decoded.value === 'object'
    const { status, message } = decoded.rejection
    return status >= 400 && status < 500 && message.length > 0 && message.length < 500
  }
  fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), (raw) => isDecoded(bytes(raw))))
  fc.assert(fc.property(fc.json({ maxDepth: 6 }), (json) => isDecoded(bytes(json))))
  fc.assert(fc.property(fc.anything({ withNullPrototype: true, withMap: true }), (value) => isDecoded({ type: 'parsed', value })))
  const messages = fc.array(fc.record({ role: fc.anything(), content: fc.anything() }, { requiredKeys: [] }))
  const bodies = fc.record({ model: fc.anything(), messages, tools: fc.anything(), n: fc.anything() }, { requiredKeys: [] })
  fc.assert(fc.property(bodies, (value) => isDecoded({ type: 'parsed', value })))
})

t.test('no code is made of a string to judge a body', (t) => {
  // A fresh one: a parser is compiled at the first parse.
  const schema = z.looseObject({ model: z.string() })
  const made: unknown[][] = []
  const real = globalThis.Function
  globalThis.Function = new Proxy(real, {
    construct(target, args, newTarget) {
      made.push(args)
      return Reflect.construct(target, args, newTarget) as object
    },
  })
  t.teardown(() => { globalThis.Function = real })
  decodeBody(bytes(JSON.stringify(GOOD)), { ...chatBody, whole: schema })
  t.strictSame(made, [])
  t.end()
})

t.test('a body with hundreds of thousands of bad items is refused by its first one', async (t) => {
  const bad = Array.from({ length: 300_000 }, () => ({}))
  const good = Array.from({ length: 200 }, () => GOOD.messages[0])
  const bodies: readonly (readonly [param: string, body: unknown])[] = [
    ['messages[0].role', { messages: bad }],
    ['messages[200].role', { messages: [...good, ...bad] }],
    ['messages[0].content[0].type', { messages: [{ role: 'user', content: bad }] }],
    ['messages[0].tool_calls[0].function', { messages: [{ role: 'assistant', tool_calls: bad.map(() => ({ function: 1 })) }] }],
    ['tools[0].function', { ...GOOD, tools: bad.map(() => ({ function: 1 })) }],
    ['stop[0]', { ...GOOD, stop: bad }],
  ]
  for (const [param, body] of bodies) {
    const [status, code, , at] = refusal(bytes(JSON.stringify(body))) ?? []
    t.strictSame([status, code, at], [400, 'invalid_request_error', param])
  }
  t.equal(refusal(bytes(JSON.stringify({ ...GOOD, messages: good, stop: Array.from({ length: 200 }, () => 'x') }))), undefined)
})
