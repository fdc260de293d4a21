/**
 * A list of these items, for what holds on to much and is made once a request. V8 counts, for each array literal, how many of its lists outlive
 * a collection, makes them in the old generation once most do, and then all that they hold outlives it too. It does not count what a rest
 * parameter makes.
 */
export function youngList<T>(...items: T[]): T[] {
  return items
}
