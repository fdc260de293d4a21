/** What begins the ids that are made up here. They mean nothing to the API and are not sent to it. */
const MADE_UP = 'gemini_call_'

/** Gives the calls of a conversation ids, where this API needs none: a result then belongs to the oldest open call of its name. */
export interface CallIds {
  ofCall(given: string | undefined, name: string): string
  ofResult(given: string | undefined, name: string): string
}

/** Makes the ids of one conversation. https://ai.google.dev/gemini-api/docs/function-calling */
export function createCallIds(): CallIds {
  const open: { readonly id: string; readonly name: string }[] = []
  let made = 0
  return {
    ofCall(given, name) {
      const id = given ?? `${MADE_UP}${made++}`
      open.push({ id, name })
      return id
    },
    ofResult(given, name) {
      const index = open.findIndex((call) => (given === undefined ? call.name === name : call.id === given))
      const [call] = index === -1 ? [] : open.splice(index, 1)
      return given ?? call?.id ?? `${MADE_UP}${made++}`
    },
  }
}

/** The id that the API is told. */
export function saidId(id: string): string | undefined {
  return id === '' || id.startsWith(MADE_UP) ? undefined : id
}
