import type { Verdict } from './run-record.js'

type ByLeg<Value> = Readonly<Record<string, Value>>

/** What a case's data expects. */
interface GivenExpectations {
  readonly leg?: string | null
  readonly status?: number | readonly number[] | null
  readonly text?: string
  readonly text_len?: number
  readonly reasoning?: string
  readonly done_count?: number
  readonly error_events?: number
  readonly event_counts?: Readonly<Record<string, number>>
  readonly sse_bytes?: number
  readonly body_is_json?: boolean
  readonly every_event_parses?: boolean
  readonly first_delta_has_role?: boolean
  readonly sequence_exact?: boolean
  readonly tool_args?: Readonly<Record<string, string>>
  readonly finish_reasons?: readonly string[]
  readonly usage_total?: number
  readonly response_headers?: Readonly<Record<string, string>>
  readonly headers_present?: readonly string[]
  readonly headers_absent?: readonly string[]
  readonly content_length_exact?: boolean
  readonly max_ms?: number
  readonly min_ms?: number
  readonly first_text_before_ms?: number
  readonly calls?: ByLeg<number>
  readonly breaker?: ByLeg<Verdict>
  readonly upstream_closed_within_ms?: number
  readonly upstream_header_must_not?: ByLeg<readonly string[]>
  readonly upstream_body?: ByLeg<Readonly<Record<string, unknown>>>
  readonly must_not?: readonly string[]
  readonly max_rss_growth_mb?: number
  readonly process_alive?: boolean
  readonly process_exits_within_ms?: number
  readonly breaker_state?: ByLeg<string>
  readonly breaker_state_after?: ByLeg<string>
  readonly then_within_ms?: Readonly<Record<string, unknown>>
}

/** What a case expects; the second part is ours, for what the cases say in words only. */
export interface Expectations extends GivenExpectations {
  /** The code of the error, in the JSON body or in the error event. */
  readonly error_code?: string
  /** Strings that the body must hold. */
  readonly body_must?: readonly string[]
  /** A host's own page may answer: nothing is asked of the body of an error. */
  readonly host_page?: boolean
  /** `createFallback` must throw, and the message must hold each of these. */
  readonly mount_refused?: readonly string[]
  readonly calls_at_most?: ByLeg<number>
  /** Of all requests together. */
  readonly total_calls?: ByLeg<number>
  readonly upstream_header_must?: ByLeg<readonly string[]>
  /** The same connection serves another request. */
  readonly connection_usable?: boolean
  /** Nothing is logged above this level. */
  readonly log_at_most?: 'info'
  /** Client, host and legs together. */
  readonly max_cpu_ms?: number
  /** In the end no leg has an open connection. */
  readonly sockets_closed?: boolean
  /** Requests leave no listeners on a connection that is kept. */
  readonly listeners_steady?: boolean
}
