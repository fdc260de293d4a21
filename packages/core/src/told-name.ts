const MAX_TOLD = 256

/** A name that a client chose, as trails, reports and events tell it: a longer one is cut. What a provider is asked for is the client's own. */
export function toldName(name: string): string {
  return name.slice(0, MAX_TOLD)
}
