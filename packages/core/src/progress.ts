import type { Failure } from './failure/failure.js'
import { failureOf } from './failure/failure.js'
import { readFailure } from './failure/read-failure.js'
import type { LegAnswer } from './leg.js'
import type { FinishPart, Part, Usage } from './part.js'
import type { ChatRequest } from './request.js'

/** Whether a part is output of the model: what commits a run. White space counts; openers, empty pieces and usage do not. */
export function isContent(part: Part): boolean {
  switch (part.type) {
    case 'text':
    case 'reasoning':
    case 'refusal':
      return part.text !== ''
    case 'tool-call':
      return (part.name !== undefined && part.name !== '') || part.arguments !== ''
    case 'media':
      return true
    case 'start':
    case 'finish':
    case 'usage':
    case 'end':
    case 'error':
      return false
  }
}

/** Whether a finish without any output is a legitimate answer: nothing to add to a tool's result, or no room left. */
export function finishesWithoutOutput(part: FinishPart, request: ChatRequest): boolean {
  if (part.reason === 'length') return true
  return part.reason === 'stop' && request.messages.at(-1)?.role === 'tool'
}

/** How far an answer has come. */
export interface Progress {
  /** Whether anything that commits was seen. */
  readonly content: boolean
  /** Whether every choice has finished or the terminal marker was seen: the answer is whole. */
  readonly complete: boolean
  /** Whether the terminal marker was seen: nothing follows. */
  readonly ended: boolean
  /** The error inside the answer, once there was one. */
  readonly failure: Failure | undefined
  readonly usage: Usage | undefined
  /** Takes the parts of one arrival, in order, up to an error or the end. */
  readonly take: (parts: readonly Part[]) => void
}

/** What is wrong with an answer whose source ended here; `undefined` if it is whole. A JSON document ends with itself. */
export function failureAtEnd(progress: Progress, form: LegAnswer['form'], hasBegun = true): Failure | undefined {
  if (progress.failure !== undefined) return progress.failure
  if (progress.complete || form === 'json') return progress.content ? undefined : failureOf('empty')
  return failureOf(hasBegun ? 'truncated' : 'empty')
}

/** Follows one answer from its first part to its last. */
export function createProgress(request: ChatRequest): Progress {
  const finished = new Set<number>()
  // Only until there is output: an open stream must not hold the request that it answers.
  let unanswered: ChatRequest | undefined = request
  let choices = request.choices ?? 1
  let filtered = false
  const state = {
    content: false,
    complete: false,
    ended: false,
    failure: undefined as Failure | undefined,
    usage: undefined as Usage | undefined,
    take(parts: readonly Part[]): void {
      for (const part of parts) {
        if (state.failure !== undefined || state.ended) return
        takePart(part)
      }
    },
  }
  return state

  function takePart(part: Part): void {
    switch (part.type) {
      case 'text':
      case 'reasoning':
      case 'refusal':
      case 'tool-call':
      case 'media':
        if (part.choice !== undefined && part.choice >= choices) choices = part.choice + 1
        if (!state.content && isContent(part)) foundContent()
        return
      case 'finish':
        // The first finish of every choice rules; a later one takes nothing away.
        if (!state.complete) takeFinish(part)
        return
      case 'usage':
        state.usage = merge(state.usage, part.usage)
        return
      case 'end':
        state.ended = true
        state.complete = true
        return
      case 'error':
        // Behind the finish of every choice an error takes nothing away: the answer is whole.
        if (state.complete) state.ended = true
        else state.failure = readFailure(part.failure) ?? failureOf('server_error')
        return
      case 'start':
        return
    }
  }

  function foundContent(): void {
    state.content = true
    unanswered = undefined
  }

  function takeFinish(part: FinishPart): void {
    if (part.reason === 'error') {
      state.failure = failureOf('server_error', { processed: 'yes' })
      return
    }
    if (part.reason === 'content_filter') filtered = true
    // Asked only where it matters: to look at the request's messages may mean to read them first.
    if (unanswered !== undefined && finishesWithoutOutput(part, unanswered)) foundContent()
    finished.add(part.choice ?? 0)
    if (finished.size < choices) return
    // Filtered before it said anything. Of several choices one may be filtered and the others answer.
    if (filtered && !state.content) state.failure = failureOf('content_filter', { code: 'content_filter' })
    else state.complete = true
  }
}

/** Counts come in pieces, and a later piece may name a count without having it. */
function merge(earlier: Usage | undefined, later: Usage): Usage {
  if (earlier === undefined) return later
  const known = Object.entries(later).filter(([, count]) => count !== undefined)
  return { ...earlier, ...Object.fromEntries(known) }
}
