import type { Failure, FailureKind } from '@understudy/core'
import { failureOf, kindOfStatus } from '@understudy/core'
import { failureCodeOf, type ErrorEvidence } from './error-evidence.js'
import { providerMessageOf } from './provider-message.js'
import { remembered } from './remembered.js'

/** Words and the kind that they mean, in the order in which they count. */
export type CodeTable = readonly (readonly [FailureKind, readonly string[]])[]

/** What the words of a dialect's errors mean. */
export interface FailureWords {
  /** Codes and types that say more than the status. The first row that has one of an error's words decides. */
  readonly codes: CodeTable
  /** Words that a status outweighs. */
  readonly weakCodes: CodeTable
  /** Sentences, where no code says it. */
  readonly messages: readonly (readonly [FailureKind, readonly RegExp[]])[]
  /** Statuses of which a sentence says no more than the status itself. */
  readonly plainStatuses: ReadonlySet<number>
}

/** What the answer around an error says beside it. */
export type FailureContext = Partial<Pick<Failure, 'retryAfterMs' | 'shouldRetry' | 'providerRequestId' | 'param'>>

/** Makes a failure of what an error says about itself. */
export type ToFailure = (evidence: ErrorEvidence, context: FailureContext) => Failure

/**
 * Prepares the tables of a dialect. Words are compared in lower case without `_`, `-` and `.`; they are brought into that form once,
 * here.
 */
export function createToFailure({ codes, weakCodes, messages, plainStatuses }: FailureWords): ToFailure {
  const kindOfCode = byPlainWord(codes)
  const kindOfWeakCode = byPlainWord(weakCodes)
  const findByMessage = remembered((text) => messages.find(([, patterns]) => patterns.some((pattern) => pattern.test(text)))?.[0])

  function kindOf({ words, status, text }: ErrorEvidence): FailureKind {
    const said = words.map(plainWord)
    const byCode = findByCode(kindOfCode, said)
    // A 429 asks to be left alone for a while, whatever word it uses for that.
    if (status === 429 && byCode === 'overloaded') return 'rate_limit'
    return (
      byCode ??
      (status !== undefined && plainStatuses.has(status) ? undefined : findByMessage(text)) ??
      (status === undefined ? (findByCode(kindOfWeakCode, said) ?? 'server_error') : kindOfStatus(status))
    )
  }

  // Hot while a provider is down, and so no spreads.
  return (evidence, { retryAfterMs, shouldRetry, providerRequestId, param }) =>
    failureOf(kindOf(evidence), {
      status: evidence.status,
      code: failureCodeOf(evidence),
      providerMessage: providerMessageOf(evidence.message),
      retryAfterMs,
      shouldRetry,
      providerRequestId,
      param,
    })
}

function byPlainWord(table: CodeTable): ReadonlyMap<string, readonly [row: number, kind: FailureKind]> {
  const found = new Map<string, readonly [number, FailureKind]>()
  table.forEach(([kind, codes], row) => {
    for (const code of codes.map(plainWord)) if (!found.has(code)) found.set(code, [row, kind])
  })
  return found
}

function findByCode(table: ReturnType<typeof byPlainWord>, said: readonly string[]): FailureKind | undefined {
  let first: readonly [row: number, kind: FailureKind] | undefined
  for (const word of said) {
    const entry = table.get(word)
    if (entry !== undefined && (first === undefined || entry[0] < first[0])) first = entry
  }
  return first?.[1]
}

const plainWord = remembered((word) => word.toLowerCase().replace(/[_.-]/g, ''))
