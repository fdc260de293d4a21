import type { Case } from './case.js'
import { chunks, firstLeg, message, textEvent, usageEvent } from './case-changes.js'
import type { Expectations } from './expectations.js'

interface More {
  readonly variant: string
  readonly change: (given: Case) => Partial<Case>
}

/** A case again, changed as its `right` or `upstream` says in words. */
export function moreOf(given: Case): readonly { readonly of: Case, readonly variant: string }[] {
  return (more[given.id] ?? []).map(({ variant, change }) => ({ of: { ...given, ...change(given) }, variant }))
}

const plainBody = { model: 'chat', stream: true, messages: [{ role: 'user', content: 'hi' }] }

const served: Expectations = {
  leg: 'A', status: 200, text: 'alfa-1 alfa-2', done_count: 1, error_events: 0,
  calls: { A: 1 }, breaker: { A: 'success' },
}

const unsupported: Expectations = { leg: null, status: 415, sse_bytes: 0, body_is_json: true, calls: { A: 0 } }

function retryAfter(form: string, value: () => string): More {
  return {
    variant: `date ${form}`,
    change: (given) => firstLeg(given, { headers: { ...given.upstream[0]?.headers, 'retry-after': value() } }),
  }
}

function contentType(type: string | undefined, expect: Expectations): More {
  const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type }
  return {
    variant: `content type ${type ?? 'absent'}`,
    change: ({ request }) => ({ request: { ...request, headers }, expect }),
  }
}

function answeredByA(expect: Expectations): Expectations {
  return { leg: 'A', status: 200, calls: { A: 1, B: 0 }, breaker: { A: 'success' }, ...expect }
}

/** B serves where the chain goes on for a refused content. */
const filterAdvances: More = {
  variant: 'content_filter in advanceOn',
  change: () => ({
    config: { advanceOn: ['content_filter'] },
    expect: {
      leg: 'B', status: 200, text: 'beta-1 beta-2', done_count: 1, error_events: 0, calls: { A: 1, B: 1 },
      breaker: { A: 'neutral', B: 'success' },
    },
  }),
}

const more: Readonly<Record<string, readonly More[]>> = {
  B003: [{ variant: 'status 521', change: (given) => firstLeg(given, { status: 521 }) }],
  B008: [{
    variant: 'no other leg',
    change: (given) => ({
      upstream: given.upstream.slice(0, 1),
      expect: {
        leg: null, status: 502, sse_bytes: 0, body_is_json: true, calls: { A: 1 }, must_not: ['<html', 'edge proxy'],
      },
    }),
  }],
  B010: [
    retryAfter('RFC 850', () => '@rfc850-date:+2s'),
    retryAfter('asctime', () => '@asctime-date:+2s'),
    retryAfter('lower case', () => new Date(Date.now() + 280_000).toUTCString().toLowerCase()),
    retryAfter('past', () => '@http-date:-10s'),
  ],
  B014: [{
    variant: 'not in advanceOn',
    change: () => ({
      config: { advanceOn: ['rate_limit', 'server_error'] },
      expect: {
        leg: null, status: 400, sse_bytes: 0, body_is_json: true, error_code: 'context_length_exceeded',
        calls: { A: 1, B: 0 }, breaker: { A: 'neutral' }, process_alive: true,
      },
    }),
  }],
  B019: [{
    variant: 'one retry',
    change: ({ expect }) => ({ config: { retriesPerLeg: 1 }, expect: { ...expect, calls: { A: 2 }, max_ms: 1_500 } }),
  }],
  B023: [
    { variant: 'content null', change: (given) => message(given, { content: null }) },
    {
      variant: 'content null with tool calls',
      change: (given) => ({
        ...message(given, {
          content: null,
          tool_calls: [{ id: 't1', type: 'function', function: { name: 'look', arguments: '{"q":1}' } }],
        }),
        expect: answeredByA({ text: '', tool_args: { t1: '{"q":1}' } }),
      }),
    },
    {
      variant: 'refusal text',
      change: (given) => ({
        ...message(given, { content: null, refusal: 'not that' }),
        expect: answeredByA({ text: '', body_must: ['not that'] }),
      }),
    },
  ],
  B029: [{
    variant: 'finish_reason error',
    change: (given) => chunks(given, [{
      text: 'data: {"id":"g1","choices":[{"index":0,"delta":{},"finish_reason":"error"}]}\n\ndata: [DONE]\n\n',
      then: 'end',
    }]),
  }],
  B036: [filterAdvances],
  B047: [{
    variant: 'opener, then silence',
    change: (given) => ({
      ...chunks(given, [...(given.upstream[0]?.chunks ?? []).slice(0, 1), { text: '', then: 'stall' }]),
      expect: {
        leg: 'B', status: 200, text: 'beta-1 beta-2', done_count: 1, error_events: 0, calls: { A: 1, B: 1 },
        breaker: { A: 'charge', B: 'success' }, max_ms: 900,
      },
    }),
  }],
  B053: [{
    variant: 'name only, then reset',
    change: (given) => ({
      ...chunks(given, [...(given.upstream[0]?.chunks ?? []).slice(0, 1), { text: '', delay_ms: 50, then: 'reset' }]),
      expect: {
        leg: 'A', status: 200, text: '', done_count: 0, error_events: 1, finish_reasons: [], calls: { A: 1, B: 0 }, breaker: { A: 'charge' },
      },
    }),
  }],
  B055: [{
    variant: 'cut without the last chunk',
    change: (given) => firstLeg(given, { fault: { do: 'close', afterEvents: 2 } }),
  }],
  B065: [{
    variant: 'usage twice',
    change: (given) => chunks(given, (given.upstream[0]?.chunks ?? []).map((chunk) => ({
      ...chunk,
      text: (chunk.text ?? '').replace('data: [DONE]', `${usageEvent}${usageEvent}data: [DONE]`),
    }))),
  }],
  B087: [{
    variant: 'choices missing',
    change: (given) => chunks(given, (given.upstream[0]?.chunks ?? []).map((chunk) => ({
      ...chunk,
      text: (chunk.text ?? '').replace('"choices":[],"usage"', '"usage"'),
    }))),
  }],
  B092: [filterAdvances],
  B104: [
    {
      variant: 'client leaves at 100 ms',
      change: () => ({
        client: { abort_after_ms: 100 },
        expect: {
          leg: null, status: null, calls: { A: 1, B: 0 }, breaker: { A: 'neutral' },
          upstream_closed_within_ms: 200, process_alive: true,
        },
      }),
    },
    {
      variant: 'client leaves as the limit fires',
      change: () => ({
        client: { abort_after_ms: 300 },
        sequence: 8,
        expect: { leg: null, status: [200], calls_at_most: { A: 1, B: 1 }, process_alive: true },
      }),
    },
  ],
  B118: [{ variant: 'with limits', change: () => ({ config: { firstTokenMs: 300 } }) }],
  B119: [{
    variant: 'no other leg',
    change: ({ upstream }) => ({
      upstream: upstream.slice(0, 1),
      expect: {
        leg: null, status: 503, sse_bytes: 0, body_is_json: true, error_code: 'no_leg_available',
        response_headers: { 'retry-after': '1' }, calls: { A: 0 }, breaker_state: { A: 'open' },
      },
    }),
  }],
  B121: [413, 422].map((status) => ({
    variant: `status ${status}`,
    change: (given) => ({ ...firstLeg(given, { status }), sequence: 3, expect: { ...given.expect, status } }),
  })),
  B123: [{
    variant: 'text, then reset',
    change: (given) => ({
      ...chunks(given, [{ text: textEvent('alfa-1 ') }, { text: '', then: 'reset' }]),
      expect: {
        leg: 'A', status: 200, text: 'alfa-1 ', done_count: 0, error_events: 1,
        calls: { A: 1, B: 0 }, breaker: { A: 'charge' }, breaker_state_after: { A: 'open' },
      },
    }),
  }],
  B126: [
    {
      variant: 'open for longer',
      change: ({ expect }) => ({
        config: { recoveryMs: { A: 2_500, B: 4_000 } },
        expect: { ...expect, response_headers: { 'retry-after': '3', 'cache-control': 'no-store' } },
      }),
    },
    {
      variant: 'last resort',
      change: () => ({
        config: { whenAllOpen: 'try' },
        expect: {
          leg: null, status: 502, sse_bytes: 0, body_is_json: true, error_code: 'all_legs_failed',
          calls: { A: 1, B: 1 }, breaker: { A: 'charge', B: 'charge' }, breaker_state: { A: 'open', B: 'open' },
        },
      }),
    },
  ],
  B130: [
    contentType('application/json; charset:utf-8', served),
    contentType('text/plain', unsupported),
    contentType('multipart/form-data; boundary=x', unsupported),
    contentType(undefined, served),
  ],
  B131: [{
    variant: 'request with invalid UTF-8',
    change: ({ request: { method, path, headers } }) => ({
      request: {
        method,
        path,
        headers,
        body_b64: Buffer.concat([
          Buffer.from('{"model":"chat","messages":[{"role":"user","content":"'),
          Buffer.from([0xc3, 0x28, 0xff]),
          Buffer.from('"}]}'),
        ]).toString('base64'),
      },
      frameworks: ['express', 'koa', 'fastify'],
    }),
  }],
  B132: [
    {
      variant: 'over our limit',
      change: () => ({
        config: { maxBodyBytes: 1_000_000 },
        expect: { leg: null, status: 413, sse_bytes: 0, body_is_json: true, calls: { A: 0 } },
      }),
    },
    {
      variant: "over the host's limit",
      change: () => ({
        frameworks: ['express+json', 'koa+bodyparser'],
        expect: { leg: null, status: 413, sse_bytes: 0, calls: { A: 0 }, host_page: true },
      }),
    },
  ],
  B133: [{
    variant: 'a host that lets streams be compressed',
    change: ({ expect }) => ({
      frameworks: ['express+compression+streams'],
      expect: { ...expect, response_headers: { 'content-encoding': 'gzip', 'cache-control': 'no-cache' } },
    }),
  }],
  B136: [
    ['trailing slash', '', '/v1/chat/completions/'],
    ['query string', '', '/v1/chat/completions?x=1'],
    ['mount path', '/api/llm', '/api/llm/v1/chat/completions'],
    ['mount path itself', '/api/llm', '/api/llm'],
    ['mount path, slash and query', '/api/llm', '/api/llm/chat/completions/?x=1'],
  ].map(([variant = '', mountPath = '', path = '']) => ({
    variant,
    change: () => ({
      ...(mountPath === '' ? {} : { config: { mountPath } }),
      request: { method: 'POST', path, headers: { 'content-type': 'application/json' }, body: plainBody },
      expect: served,
    }),
  })),
  B139: [{
    variant: 'as an error',
    change: (given) => ({
      upstream: given.upstream.slice(0, 1).map((leg) => ({ ...leg, status: 500 })),
      expect: {
        leg: null, status: 502, body_is_json: true, content_length_exact: true,
        headers_absent: ['content-encoding', 'keep-alive'], calls: { A: 1 },
      },
    }),
  }],
  B141: [{
    variant: 'a name that is only odd',
    change: () => ({ config: { legNames: { A: 'm\u00f6del \u6e10' } } }),
  }],
  B146: [{
    variant: 'more of them',
    change: (given) => ({
      ...firstLeg(given, {
        headers: {
          ...given.upstream[0]?.headers,
          'strict-transport-security': 'max-age=1',
          'link': '</x>; rel=preload',
          'x-ratelimit-remaining-requests': '7',
        },
      }),
      expect: {
        ...given.expect,
        headers_absent: ['set-cookie', 'server', 'strict-transport-security', 'access-control-allow-origin', 'link'],
        response_headers: { 'x-ratelimit-remaining-requests': '7', 'understudy-provider-request-id': 'req-a' },
      },
    }),
  }],
}
