const UNITS = [['day', 86_400_000], ['hour', 3_600_000], ['minute', 60_000], ['second', 1_000]]

/** `3 minutes`. */
export function lasting(ms) {
  const [name, unit] = UNITS.find(([, size]) => ms >= size) ?? ['second', 1_000]
  const count = Math.max(0, Math.round(ms / unit))
  return `${count} ${name}${count === 1 ? '' : 's'}`
}

/** `3 minutes ago`. */
export function ago(at, now) {
  return now - at < 1_000 ? 'just now' : `${lasting(now - at)} ago`
}

/** `14:05`. */
export function clock(at) {
  return new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
}

export function nameOf({ provider, model }) {
  return provider === model ? model : `${provider}/${model}`
}

/** The name that counts and events have for a leg. */
export function keyOf({ provider, model }) {
  return `${provider}/${model}`
}
