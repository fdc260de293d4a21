/** What begins the ids that are made up here. They mean nothing to the API and are not sent to it. */
const MADE_UP = 'gemini_call_'

/** Gives the calls of a conversation ids, where this API needs none: a result then belongs to the oldest open call of its name. */
export interface CallIds {
  ofCall(given: string | undefined, name: string): string
  ofResult(given: string | undefined, name: string): string
}

interface Call {
  readonly id: string
  isOpen: boolean
}

/** Makes the ids of one conversation; O(1) a call. https://ai.google.dev/gemini-api/docs/function-calling */
export function createCallIds(): CallIds {
  const byId = createQueues()
  const byName = createQueues()
  let made = 0
  return {
    ofCall(given, name) {
      const id = given ?? `${MADE_UP}${made++}`
      const call = { id, isOpen: true }
      byId.add(id, call)
      byName.add(name, call)
      return id
    },
    ofResult(given, name) {
      const call = given === undefined ? byName.take(name) : byId.take(given)
      return given ?? call?.id ?? `${MADE_UP}${made++}`
    },
  }
}

/** Open calls under a key, the oldest first. */
function createQueues(): { add(key: string, call: Call): void; take(key: string): Call | undefined } {
  const queues = new Map<string, { readonly calls: Call[]; next: number }>()
  return {
    add(key, call) {
      const queue = queues.get(key) ?? { calls: [], next: 0 }
      queue.calls.push(call)
      queues.set(key, queue)
    },
    take(key) {
      const queue = queues.get(key)
      if (queue === undefined) return undefined
      // What was answered by the other key is no longer open.
      while (queue.calls[queue.next]?.isOpen === false) queue.next++
      const call = queue.calls[queue.next]
      if (call !== undefined) call.isOpen = false
      return call
    },
  }
}

/** The id that the API is told. */
export function saidId(id: string): string | undefined {
  return id === '' || id.startsWith(MADE_UP) ? undefined : id
}
