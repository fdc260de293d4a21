import { readFileSync } from 'node:fs'
import type { Fault } from '@understudy/simulator'
import type { Expectations } from './expectations.js'
import type { SetUp } from './hosts.js'

/** One piece of a leg's bytes. */
export interface CaseChunk {
  readonly text?: string
  readonly b64?: string
  readonly delay_ms?: number
  readonly repeat?: number
  readonly every_ms?: number
  readonly then?: 'end' | 'reset' | 'stall'
}

/** What happens to a leg's connection in place of an answer. */
export type ConnectFault =
  | 'refused' | 'dns_fail' | 'bad_url' | 'tls_self_signed' | 'tls_garbage' | 'accept_stall' | 'reset_before_headers'

/** One leg, and what it sends. */
export interface CaseLeg {
  readonly leg: string
  readonly dialect?: string
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly chunks?: readonly CaseChunk[]
  readonly connect?: ConnectFault
  readonly write_size?: number
  readonly number_chunks?: boolean
  readonly strict_openai?: boolean
  /** Ours: what no chunk can say. */
  readonly fault?: Fault
}

/** What the client sends. */
export interface CaseRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly body_raw?: string
  /** Ours: bytes that are no text. */
  readonly body_b64?: string
}

/** How a case's fallback is set. */
export interface CaseConfig {
  readonly firstTokenMs?: number
  /** 0 = none. */
  readonly overallMs?: number
  /** Ours. */
  readonly idleMs?: number
  readonly retriesPerLeg?: number
  readonly advanceOn?: readonly string[]
  readonly legNames?: Readonly<Record<string, string>>
  readonly keys?: Readonly<Record<string, string>>
  readonly models?: Readonly<Record<string, string>>
  /** Ours: where the middleware is mounted. Default the root. */
  readonly mountPath?: string
  /** Ours. */
  readonly maxBodyBytes?: number
  /** Ours: a leg's own. */
  readonly recoveryMs?: Readonly<Record<string, number>>
  /** Ours. */
  readonly whenAllOpen?: 'skip' | 'try'
}

/** How a case's client behaves. */
export interface CaseClient {
  readonly abort_after_ms?: number | string
  readonly read_rate_bps?: number
  readonly http?: '1.0'
}

/** One line of cases.jsonl. */
export interface Case {
  readonly id: string
  readonly group: string
  readonly severity: string
  readonly title: string
  readonly source: string
  readonly right: string
  readonly upstream: readonly CaseLeg[]
  readonly request: CaseRequest
  readonly expect: Expectations
  readonly config?: CaseConfig
  readonly client?: CaseClient
  readonly frameworks?: readonly SetUp[]
  readonly sequence?: number
  readonly parallel?: number
  readonly optional?: boolean
  readonly note?: string
  readonly pre?: string
  readonly post?: string
  readonly reload?: readonly unknown[]
  readonly then_within_ms?: unknown
  readonly vary_status?: readonly number[]
  readonly vary_connect?: readonly ConnectFault[]
  readonly vary_error?: readonly unknown[]
  readonly vary_body?: readonly unknown[]
  readonly vary_raw?: readonly string[]
  readonly vary_body_raw?: readonly string[]
  readonly vary_method?: readonly string[]
}

const known = {
  case: [
    'id', 'group', 'severity', 'title', 'source', 'right', 'upstream', 'request', 'expect', 'config', 'client',
    'frameworks', 'sequence', 'parallel', 'optional', 'note', 'pre', 'post', 'reload', 'then_within_ms',
    'vary_status', 'vary_connect', 'vary_error', 'vary_body', 'vary_raw', 'vary_body_raw', 'vary_method',
  ],
  leg: [
    'leg', 'dialect', 'status', 'headers', 'chunks', 'connect', 'write_size', 'number_chunks', 'strict_openai',
  ],
  chunk: ['text', 'b64', 'delay_ms', 'repeat', 'every_ms', 'then'],
  request: ['method', 'path', 'headers', 'body', 'body_raw'],
  config: ['firstTokenMs', 'overallMs', 'retriesPerLeg', 'advanceOn', 'legNames', 'keys', 'models'],
  client: ['abort_after_ms', 'read_rate_bps', 'http'],
}

/** Every case, in the order of the file. Throws if one says something that the player has never heard of. */
export function loadCases(): readonly Case[] {
  const lines = readFileSync(new URL('cases.jsonl', import.meta.url), 'utf8').trimEnd().split('\n')
  return lines.map((line) => {
    const loaded: Case = JSON.parse(line)
    refuseUnknown(loaded.id, 'case', loaded)
    refuseUnknown(loaded.id, 'request', loaded.request)
    refuseUnknown(loaded.id, 'config', loaded.config ?? {})
    refuseUnknown(loaded.id, 'client', loaded.client ?? {})
    for (const leg of loaded.upstream) {
      refuseUnknown(loaded.id, 'leg', leg)
      for (const chunk of leg.chunks ?? []) refuseUnknown(loaded.id, 'chunk', chunk)
    }
    return loaded
  })
}

function refuseUnknown(id: string, what: keyof typeof known, value: object): void {
  const unknown = Object.keys(value).filter((key) => !known[what].includes(key))
  if (unknown.length > 0) throw new Error(`${id}: the player does not know the ${what} field ${unknown.join(', ')}`)
}

/** The group of a case without its words: `G01`. */
export function groupOf({ group }: Pick<Case, 'group'>): string {
  return group.slice(0, 3)
}
