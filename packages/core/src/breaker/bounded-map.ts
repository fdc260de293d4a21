/**
 * Makes room in a map that is about to take one entry more: takes out the first entry that may go, else the oldest.
 * Names of providers come from a config, but those of models may be the callers', and no memory may grow with what
 * callers send.
 */
export function makeRoom<Value>(map: Map<string, Value>, most: number, mayGo: (value: Value) => boolean): void {
  if (map.size < most) return
  let oldest: string | undefined
  for (const [key, value] of map) {
    oldest ??= key
    if (!mayGo(value)) continue
    map.delete(key)
    return
  }
  if (oldest !== undefined) map.delete(oldest)
}
