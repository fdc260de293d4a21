import type { ReceivedCall } from './record.js'

/** How to wait for a call. */
export interface WaitOptions {
  /** Give up after so many ms. Default 2000. */
  readonly timeoutMs?: number | undefined
}

/** Everything received since the last reset. */
export interface CallLog {
  readonly calls: readonly ReceivedCall[]
  callsOf(model: string): readonly ReceivedCall[]
  /** The number of the next call of a model. */
  nextNumber(model: string | undefined): number
  add(call: ReceivedCall): void
  waitFor(model: string, number: number, options?: WaitOptions): Promise<ReceivedCall>
  clear(): void
  /** Rejects whoever waits, and frees their timers. */
  close(): void
}

export function createCallLog(keepCalls = Number.POSITIVE_INFINITY): CallLog {
  let calls: ReceivedCall[] = []
  const counts = new Map<string | undefined, number>()
  const waiting = new Set<{ check: () => void, fail: (why: string) => void }>()
  const callsOf = (model: string) => calls.filter((call) => call.model === model)

  return {
    get calls() {
      return calls
    },
    callsOf,
    nextNumber: (model) => (counts.get(model) ?? 0) + 1,
    add: (call) => {
      calls.push(call)
      if (calls.length > keepCalls) calls.shift()
      counts.set(call.model, call.number)
      for (const { check } of waiting) check()
    },
    waitFor: (model, number, { timeoutMs = 2_000 } = {}) => new Promise((resolve, reject) => {
      const settle = (done: () => void) => {
        clearTimeout(timer)
        waiting.delete(waiter)
        done()
      }
      const fail = (why: string) => {
        const seen = calls.map((call) => call.model ?? call.path).join(', ') || 'nothing'
        settle(() => reject(new Error(
          `waitForCall: call ${number} of model '${model}' did not come ${why}; received: ${seen}`,
        )))
      }
      const waiter = {
        fail,
        check: () => {
          const call = callsOf(model).find((candidate) => candidate.number === number)
          if (call !== undefined) settle(() => resolve(call))
        },
      }
      const timer = setTimeout(fail, timeoutMs, `within ${timeoutMs} ms`)
      waiting.add(waiter)
      waiter.check()
    }),
    clear: () => {
      calls = []
      counts.clear()
    },
    close: () => {
      for (const { fail } of waiting) fail('before the simulator was closed')
    },
  }
}
