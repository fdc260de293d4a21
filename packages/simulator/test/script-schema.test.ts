import t from 'tap'
import { isScriptError, parseScript, ScriptError } from '../src/index.js'

function complaints(script: unknown): readonly string[] {
  try {
    parseScript(script)
  } catch (error) {
    if (error instanceof ScriptError) return error.issues.map(({ path, message }) => `${path}: ${message}`)
    throw error
  }
  return []
}

const step = (value: unknown) => complaints({ models: { m: [value] } })

t.test('accepts what the documentation shows', (t) => {
  t.strictSame(complaints({}), [])
  t.strictSame(complaints({ models: { 'a/b': [{}, { times: 2, status: 429 }] }, fallback: { html: true }, apiKey: 'k',
    strict: true }), [])
  t.strictSame(step({ chunks: [{ text: 'x', delay_ms: 1, repeat: 2, every_ms: 1 }, { b64: 'AA==', then: 'reset' }] }),
    [])
  t.strictSame(step({ headers: { 'retry-after': '@http-date:-1m', 'content-length': '@auto', from: '@ us',
    a: ['b'] } }), [])
  t.end()
})

t.test('says where, what came and what would be right', (t) => {
  const rows: [unknown, string][] = [
    [{ stauts: 500 }, "models.m[0]: unknown key 'stauts'; did you mean 'status'?"],
    [{ delay_ms: 5 }, "models.m[0]: unknown key 'delay_ms'; did you mean 'delayMs'?"],
    [{ fault: { do: 'explode' } },
      'models.m[0].fault.do: got "explode"; it must be "reset" or "close" or "end" or "stall" or '
      + '"error_event" or "malformed_event" or "malformed_text" or "bad_checksum"'],
    [{ fault: { zzzzzz: 1, do: 'end' } }, "models.m[0].fault: unknown key 'zzzzzz'; it must be one of do, afterEvents, "
      + 'afterBytes, error, goOn, bare'],
    [{ status: '500' }, 'models.m[0].status: got "500"; it must be a number'],
    [{ status: 99 }, 'models.m[0].status: got 99; it must be at least 200'],
    [{ status: 200.5 }, 'models.m[0].status: got 200.5; it must be a whole number'],
    [{ delayMs: -1 }, 'models.m[0].delayMs: got -1; it must be at least 0'],
    [{ chunks: [] }, 'models.m[0].chunks: got []; it must have at least 1 item'],
    [{ chunks: [{ text: 'a', b64: 'AA==' }] },
      'models.m[0].chunks[0].b64: text is given too; only one of them can be the bytes'],
    [{ chunks: [{ b64: '?' }] }, 'models.m[0].chunks[0].b64: got "?"; it must be base64'],
    [{ connect: 'refused' },
      'models.m[0].connect: got "refused"; a listening port cannot refuse one model; point the client at '
      + 'the URL that refusedUrl() gives'],
    [{ headers: { date: '@http-date:soon' } },
      "models.m[0].headers.date: '@http-date:soon' cannot be filled in; it must be "
      + '@http-date:+2s, @rfc850-date:, @asctime-date:, @iso-date:, @epoch-seconds: or @auto'],
    [{ headers: { 'x-a': 'a\nb' } }, 'models.m[0].headers["x-a"]: it has a character that no HTTP header can hold'],
    [{ headers: { 'x a': 'b' } }, 'models.m[0].headers["x a"]: it is not a name that an HTTP header can have'],
    [{ body: 'x', html: true },
      'models.m[0].html: body is given too; only one of answer, body, html, error, empty, chunks can be the body'],
    [{ times: 1, forMs: 1 }, 'models.m[0].forMs: times is given too; take one of them'],
    [{ writeSize: 1, trickle: { bytes: 1, everyMs: 1 } },
      'models.m[0].trickle: writeSize is given too; trickle.bytes is the size of a write'],
    [{ jsonForStream: true, streamForJson: true },
      'models.m[0].streamForJson: jsonForStream is given too; take one of them'],
    [{ number_chunks: true }, 'models.m[0].number_chunks: it numbers chunks; give some'],
    [{ fault: { do: 'end', afterBytes: 1, afterEvents: 1 } },
      'models.m[0].fault.afterBytes: afterEvents is given too; only one of them can say when'],
    [{ fault: { do: 'malformed_event', afterBytes: 1 } },
      "models.m[0].fault.afterBytes: 'malformed_event' is about whole events; say when with afterEvents"],
    [{ fault: { do: 'end', goOn: true } }, "models.m[0].fault.goOn: only 'error_event' takes it, and do is 'end'"],
    [{ fault: { do: 'stall', bare: false } }, "models.m[0].fault.bare: only 'error_event' takes it, and do is 'stall'"],
    [{ answer: { text: 5 } }, 'models.m[0].answer.text: got 5; it must be a string or an array'],
    [{ answer: { text: ['a', 5] } }, 'models.m[0].answer.text[1]: got 5; it must be a string'],
    [{ html: false }, 'models.m[0].html: got false; it must be true'],
    [5, 'models.m[0]: got 5; it must be an object'],
  ]
  for (const [value, complaint] of rows) t.strictSame(step(value), [complaint])
  t.strictSame(complaints({ models: { m: [] } }), ['models.m: got []; it must have at least 1 item'])
  t.strictSame(complaints({ models: { 'a/b': [{ status: 1 }] } }),
    ['models["a/b"][0].status: got 1; it must be at least 200'])
  t.strictSame(complaints('x'), ['script: got "x"; it must be an object'])
  t.strictSame(complaints(undefined), ['script: got nothing; it must be an object'])
  t.end()
})

t.test('names everything that is wrong in one error', (t) => {
  const error = t.throws(() => parseScript({ models: { m: [{ status: 1 }] }, fallback: { x: 1 } }))
  t.ok(isScriptError(error))
  t.notOk(isScriptError(new Error('other')))
  t.match(error, { name: 'ScriptError', code: 'SIMULATOR_SCRIPT_INVALID',
    message: /^the script is not valid\n {2}models.*\n {2}fallback: / })
  t.end()
})
