import type { Arrival, Leg, LegAnswer, Part } from '@understudy/core'
import type { FakeClock } from '../../../test/kit/fake-clock.js'

/** What a scripted leg does next. */
export type Step =
  | Arrival
  /** Waits; ends at once with the signal's reason when that aborts, unless the leg is deaf. */
  | { readonly wait: number }
  | { readonly fail: unknown }
  /** Calls `onConnect`. */
  | 'connected'
  /** Never goes on. */
  | 'hang'

export interface Script extends Omit<Partial<Leg>, 'open'> {
  readonly name: string
  /** Before `open` resolves. Absent: `open` gives its answer at once, without a promise. */
  readonly open?: readonly Step[]
  /** The arrivals; after the last one the source ends. */
  readonly answer?: readonly Step[]
  readonly form?: LegAnswer['form']
  readonly choices?: number
  /** Does not listen to its signal. */
  readonly deaf?: boolean
}

/** A leg that does what a script says and writes down what is done to it. */
export function scriptedLeg(clock: FakeClock, say: (line: string) => void, script: Script): Leg {
  const { name, open, answer = [], form = 'none', choices, deaf = false, ...leg } = script
  return {
    provider: name,
    model: `${name}-1`,
    ...leg,
    open(_request, { signal, onConnect }) {
      say(`${name} open`)
      signal.addEventListener('abort', () => say(`${name} abort ${reasonOf(signal)}`))
      const opened = answerOf(signal)
      return open === undefined ? opened : perform(open, signal, onConnect).then(() => opened)
    },
  }

  function answerOf(signal: AbortSignal): LegAnswer {
    const steps = answer[Symbol.iterator]()
    return {
      form,
      choices,
      onCommit: () => say(`${name} commit`),
      arrivals: {
        [Symbol.asyncIterator]: () => ({
          async next() {
            for (const step of steps) {
              if (isArrival(step)) return { done: false, value: step }
              await performStep(step, signal, () => undefined)
            }
            return { done: true, value: undefined }
          },
          return() {
            say(`${name} close`)
            return Promise.resolve({ done: true, value: undefined })
          },
        }),
      },
    }
  }

  async function perform(steps: readonly Step[], signal: AbortSignal, onConnect: () => void): Promise<void> {
    for (const step of steps) await performStep(step, signal, onConnect)
  }

  function performStep(step: Step, signal: AbortSignal, onConnect: () => void): Promise<void> {
    if (step === 'connected') {
      onConnect()
      return Promise.resolve()
    }
    if (step !== 'hang' && 'fail' in step) return Promise.reject(step.fail)
    return new Promise((resolve, reject) => {
      const cancel = step !== 'hang' && 'wait' in step ? clock.schedule(step.wait, wake) : undefined
      if (!deaf) signal.addEventListener('abort', onAbort)
      if (!deaf && signal.aborted) onAbort()

      function wake(): void {
        signal.removeEventListener('abort', onAbort)
        resolve()
      }

      function onAbort(): void {
        signal.removeEventListener('abort', onAbort)
        cancel?.()
        reject(signal.reason)
      }
    })
  }
}

function isArrival(step: Step): step is Arrival {
  return typeof step === 'object' && 'parts' in step
}

/** The kind, and the phase if there is one, of what a signal was aborted with. */
export function reasonOf(signal: AbortSignal): string {
  const { kind, phase } = signal.reason.failure
  return phase === undefined ? kind : `${kind}:${phase}`
}

/** What arrives in one read that completes an event for each part. */
export function arrival(...parts: Part[]): Arrival {
  return { parts, events: parts.length }
}

export function text(value: string, choice?: number): Part {
  return choice === undefined ? { type: 'text', text: value } : { type: 'text', text: value, choice }
}

export const start: Part = { type: 'start' }
export const finish: Part = { type: 'finish', reason: 'stop' }
export const end: Part = { type: 'end' }
/** Keeps the connection alive and says nothing. */
export const ping: Arrival = { parts: [], events: 0 }
/** A whole answer in one read. */
export const whole = arrival(start, text('hello'), finish, end)
