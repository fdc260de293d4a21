import type { Expectations } from './expectations.js'

/** What a case says in its `right` beyond its fields. */
export const additions: Readonly<Record<string, Expectations>> = {
  B014: { breaker_state: { A: 'closed' } },
  B018: {
    error_code: 'all_legs_failed',
    body_must: ['"provider":"A"', '"provider":"B"', '"provider":"C"', 'server_error', 'connection_error'],
    must_not: ['synthetic'],
  },
  B031: { response_headers: { 'understudy-trail': '"A/m-A";outcome=failed;reason=overloaded' } },
  B034: { response_headers: { 'understudy-trail': '"A/m-A";outcome=failed;reason=auth_error' } },
  B036: { body_is_json: true, error_code: 'content_filter' },
  B038: { response_headers: { 'understudy-trail': '"A/m-A";outcome=failed;reason=server_error' } },
  B040: { response_headers: { 'understudy-trail': '"A/m-A";outcome=failed;reason=rate_limit' } },
  B041: { first_delta_has_role: true, finish_reasons: ['stop'] },
  B043: { finish_reasons: ['stop'] },
  B054: { error_code: 'stream_truncated', finish_reasons: [] },
  B055: { finish_reasons: [] },
  B058: { error_code: 'upstream_error', finish_reasons: [] },
  B059: {
    body_must: ['"alfa-1 "}}\n\nevent: error\ndata: {"type":"error","error":{"type":"'],
    must_not: ['message_delta'],
    finish_reasons: [],
  },
  B063: { error_code: 'idle_timeout', finish_reasons: [] },
  B083: { max_cpu_ms: 1_000 },
  B092: { body_is_json: true, error_code: 'content_filter' },
  B096: { upstream_closed_within_ms: 200 },
  // Long before its limit.
  B102: { upstream_closed_within_ms: -2_000 },
  B103: { sockets_closed: true, error_code: 'deadline_exceeded' },
  B106: { log_at_most: 'info', sockets_closed: true },
  B110: { sockets_closed: true },
  B111: { sockets_closed: true, calls_at_most: { A: 1, B: 0 } },
  B121: { process_alive: true, breaker_state: { A: 'closed' } },
  B126: { response_headers: { 'retry-after': '1', 'cache-control': 'no-store' }, error_code: 'no_leg_available' },
  B128: { process_alive: true, breaker_state: { A: 'closed' } },
  B129: { upstream_body: { A: { messages: [{ role: 'user', content: 'gr\u00fc\u00dfe \u6e10' }] } } },
  B131: { connection_usable: true },
  B142: { upstream_header_must: { A: ['Bearer key-A'], B: ['Bearer key-B'] } },
  B148: {
    upstream_body: {
      A: {
        system: [{ type: 'text', text: 'be brief', cache_control: { type: 'ephemeral' } }],
        thinking: { type: 'enabled', budget_tokens: 1_024 },
      },
      B: {
        messages: [{ role: 'system', content: 'be brief' }, { role: 'user', content: 'hi' }],
        max_tokens: 64,
        system: undefined,
        thinking: undefined,
      },
    },
    finish_reasons: ['end_turn'],
  },
  B150: { error_code: 'all_legs_failed', body_must: ['untranslatable', 'previous_response_id'] },
  B151: { sockets_closed: true },
  B153: { listeners_steady: true },
}
