/** A call that was refused, with what the server says of it. */
export class CallRefused extends Error {
  constructor({ code, message }) {
    super(message)
    this.code = code
  }
}

/** Makes a change. Throws `CallRefused` where it was not made. */
export async function call(path, body) {
  const response = await fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  const answer = await response.json().catch(() => ({}))
  if (response.ok) return answer
  throw new CallRefused(answer.error ?? { code: 'unreadable', message: `the server answered ${response.status}` })
}

/** Looks. Throws `CallRefused` where it may not. */
export async function look(path) {
  const response = await fetch(path)
  const answer = await response.json().catch(() => ({}))
  if (response.ok) return answer
  throw new CallRefused(answer.error ?? { code: 'unreadable', message: `the server answered ${response.status}` })
}

/** A call whose answer comes a line of JSON at a time. */
export async function callLines(path, body, onLine) {
  const response = await fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  if (!response.ok) {
    const answer = await response.json().catch(() => ({}))
    throw new CallRefused(answer.error ?? { code: 'unreadable', message: `the server answered ${response.status}` })
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let held = ''
  for (;;) {
    const { done, value = '' } = await reader.read()
    const [first, ...others] = value.split('\n')
    held += first
    for (const line of others) {
      if (held.trim() !== '') onLine(JSON.parse(held))
      held = line
    }
    if (!done) continue
    if (held.trim() !== '') onLine(JSON.parse(held))
    return
  }
}

const HEARD = ['chain-applied', 'chain-reverted', 'chain-rejected', 'pin-expiring', 'breaker-open', 'breaker-closed', 'drill-start', 'drill-end']

/** Listens for as long as the page is open; the browser connects again by itself. */
export function listen({ onStatus, onEvent, onConnected, onLost }) {
  const source = new EventSource(`events?types=${HEARD.join(',')}`)
  source.addEventListener('open', onConnected)
  source.addEventListener('error', () => {
    onLost()
    // One that was refused is not tried again by the browser.
    if (source.readyState === EventSource.CLOSED) setTimeout(() => listen({ onStatus, onEvent, onConnected, onLost }), 3_000)
  })
  source.addEventListener('status', ({ data }) => onStatus(JSON.parse(data)))
  for (const type of HEARD) source.addEventListener(type, ({ data }) => onEvent(JSON.parse(data)))
}
