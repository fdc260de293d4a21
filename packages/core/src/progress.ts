import type { Failure } from './failure/failure.js'
import { failureOf } from './failure/failure.js'
import { readFailure } from './failure/read-failure.js'
import type { LegAnswer } from './leg.js'
import type { FinishPart, Part, Usage } from './part.js'
import type { ChatRequest } from './request.js'
import { youngList } from './young-list.js'

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
  return new AnswerProgress(request, asked)
}

/** A class: an open stream holds one, and its methods are shared. */
class AnswerProgress implements Progress {
  content = false
  complete = false
  finished = false
  filtered = false
  ended = false
  failure: Failure | undefined
  usage: Usage | undefined
  // Lists, since there is nearly always one choice, and made anew with each: a pushed one has room for seventeen.
  #begun: readonly number[] = NO_CHOICES
  #done: readonly number[] = NO_CHOICES
  #latest = -1
  readonly #asked: number
  // Only until there is output: an open stream must not hold the request that it answers.
  #unanswered: ChatRequest | undefined

  constructor(request: ChatRequest, asked: number) {
    this.#asked = asked
    this.#unanswered = request
  }

  take(parts: readonly Part[]): void {
    for (const part of parts) {
      if (this.failure !== undefined || this.ended) return
      this.#takePart(part)
    }
  }

  #takePart(part: Part): void {
    switch (part.type) {
      case 'text':
      case 'reasoning':
      case 'refusal':
      case 'tool-call':
      case 'media': {
        const choice = part.choice ?? 0
        if (choice !== this.#latest) this.#begin(choice)
        if (!this.content && isContent(part)) this.#foundContent()
        return
      }
      case 'finish':
        this.#takeFinish(part)
        return
      case 'usage':
        this.usage = merge(this.usage, part.usage)
        return
      case 'end':
        this.ended = true
        this.complete = true
        return
      case 'error':
        // Behind the finish of every choice an error takes nothing away: the answer is whole.
        if (this.complete) this.ended = true
        else this.failure = readFailure(part.failure) ?? failureOf('server_error')
        return
      case 'start':
        return
    }
  }

  #begin(choice: number): void {
    this.#latest = choice
    if (this.#begun.includes(choice) || this.#done.includes(choice) || this.#hasTooMany()) return
    this.#begun = this.#begun.length === 0 ? youngList(choice) : [...this.#begun, choice]
    this.complete = false
    this.finished = false
  }

  #hasTooMany(): boolean {
    if (this.#begun.length + this.#done.length < MAX_CHOICES) return false
    this.failure = failureOf('malformed', { code: 'too_many_choices' })
    return true
  }

  #foundContent(): void {
    this.content = true
    this.#unanswered = undefined
  }

  #takeFinish(part: FinishPart): void {
    const choice = part.choice ?? 0
    // The first finish of every choice rules; a later one takes nothing away.
    if (this.#done.includes(choice)) return
    if (part.reason === 'error') {
      if (!this.complete) this.failure = failureOf('server_error', { processed: 'yes' })
      return
    }
    if (part.reason === 'content_filter') this.filtered = true
    // Asked only where it matters: to look at the request's messages may mean to read them first.
    if (this.#unanswered !== undefined && finishesWithoutOutput(part, this.#unanswered)) this.#foundContent()
    if (this.#begun.includes(choice)) this.#begun = this.#begun.filter((other) => other !== choice)
    else if (this.#hasTooMany()) return
    this.#done = this.#done.length === 0 ? youngList(choice) : [...this.#done, choice]
    this.finished = this.#begun.length === 0
    if (!this.finished || this.#done.length < this.#asked) return
    if (this.filtered && !this.content) this.failure = emptiness(this)
    else this.complete = true
  }
}

const NO_CHOICES: readonly number[] = []

/** Counts come in pieces, and a later piece may name a count without having it. */
function merge(earlier: Usage | undefined, later: Usage): Usage {
  if (earlier === undefined) return later
  const merged: Record<string, number | undefined> = { ...earlier }
  for (const [name, count] of Object.entries<number | undefined>({ ...later })) if (count !== undefined) merged[name] = count
  return merged
}
