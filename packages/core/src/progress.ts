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
  /**
   * Whether the answer looks whole: every choice that was asked for or has begun has finished, or the terminal marker was seen.
   * A choice that begins later (a leg's own defaults may ask for more of them) takes that back until it has finished.
   */
  readonly complete: boolean
  /** Whether something has finished and nothing that has begun is unfinished: the answer is whole if its source ends here. */
  readonly finished: boolean
  /** Whether some choice ended because it was filtered. */
  readonly filtered: boolean
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
  if (progress.complete || progress.finished || form === 'json') return progress.content ? undefined : emptiness(progress)
  return failureOf(hasBegun ? 'truncated' : 'empty')
}

/** Filtered before it said anything. Of several choices one may be filtered and the others answer. */
function emptiness({ filtered }: Progress): Failure {
  return filtered ? failureOf('content_filter', { code: 'content_filter' }) : failureOf('empty')
}

/** More choices are no answer; and what is remembered of them is bounded. */
const MAX_CHOICES = 1024

/** Follows one answer from its first part to its last. `asked`: how many choices are to come. Default what the request asks for. */
export function createProgress(request: ChatRequest, asked = request.choices ?? 1): Progress {
  // Lists, since there is nearly always one choice.
  const begun: number[] = []
  const done: number[] = []
  // Only until there is output: an open stream must not hold the request that it answers.
  let unanswered: ChatRequest | undefined = request
  let latest = -1
  const state = {
    content: false,
    complete: false,
    finished: false,
    filtered: false,
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
      case 'media': {
        const choice = part.choice ?? 0
        if (choice !== latest) begin(choice)
        if (!state.content && isContent(part)) foundContent()
        return
      }
      case 'finish':
        takeFinish(part)
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

  function begin(choice: number): void {
    latest = choice
    if (begun.includes(choice) || done.includes(choice) || hasTooMany()) return
    begun.push(choice)
    state.complete = false
    state.finished = false
  }

  function hasTooMany(): boolean {
    if (begun.length + done.length < MAX_CHOICES) return false
    state.failure = failureOf('malformed', { code: 'too_many_choices' })
    return true
  }

  function foundContent(): void {
    state.content = true
    unanswered = undefined
  }

  function takeFinish(part: FinishPart): void {
    const choice = part.choice ?? 0
    // The first finish of every choice rules; a later one takes nothing away.
    if (done.includes(choice)) return
    if (part.reason === 'error') {
      if (!state.complete) state.failure = failureOf('server_error', { processed: 'yes' })
      return
    }
    if (part.reason === 'content_filter') state.filtered = true
    // Asked only where it matters: to look at the request's messages may mean to read them first.
    if (unanswered !== undefined && finishesWithoutOutput(part, unanswered)) foundContent()
    const place = begun.indexOf(choice)
    if (place !== -1) begun.splice(place, 1)
    else if (hasTooMany()) return
    done.push(choice)
    state.finished = begun.length === 0
    if (!state.finished || done.length < asked) return
    if (state.filtered && !state.content) state.failure = emptiness(state)
    else state.complete = true
  }
}

/** Counts come in pieces, and a later piece may name a count without having it. */
function merge(earlier: Usage | undefined, later: Usage): Usage {
  if (earlier === undefined) return later
  const known = Object.entries(later).filter(([, count]) => count !== undefined)
  return { ...earlier, ...Object.fromEntries(known) }
}
