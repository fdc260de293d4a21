/** The cases that are played with the breaker and the cooldown on. */
export const remembering: ReadonlySet<string> = new Set([
  'B010', 'B012', 'B014', 'B115', 'B118', 'B119', 'B121', 'B123', 'B124', 'B125', 'B126', 'B128', 'B161',
])

/** So many failures in a row open a breaker. */
export const openedBy = 3
