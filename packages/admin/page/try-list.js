import { callLines } from './api.js'
import { make, say } from './dom.js'
import { nameOf } from './words.js'

/** A button that asks each leg of a route alone, with a few words, and what each answered. */
export function tryList(name) {
  const button = make('button', { type: 'button', 'aria-label': `Try each leg of ${name}` }, 'Try each leg')
  const state = make('p', { role: 'status' })
  const results = make('ol', { class: 'tried', 'aria-label': `What the legs of ${name} answered` })
  results.hidden = true
  button.addEventListener('click', () => void start())
  return { button, element: make('div', {}, state, results) }

  async function start() {
    // Not disabled: the focus stays where it is.
    if (button.getAttribute('aria-disabled') === 'true') return
    button.setAttribute('aria-disabled', 'true')
    results.hidden = false
    results.replaceChildren()
    say(state, 'Asking each leg, one after the other')
    let asked = 0
    let well = 0
    try {
      await callLines('try', { route: name }, (line) => {
        if (line.error !== undefined) throw new Error(line.error.message)
        asked += 1
        if (line.ok) well += 1
        results.append(make('li', { class: line.ok ? 'good' : 'bad' }, resultWords(line)))
      })
      say(state, `${well} of ${asked} legs answered`)
    } catch (failed) {
      say(state, `Not tried to the end: ${failed.message}`)
    } finally {
      button.removeAttribute('aria-disabled')
    }
  }
}

function resultWords({ ok, answer, kind, status, total_ms: totalMs, ...leg }) {
  const took = `in ${(totalMs / 1_000).toFixed(1)} s`
  if (ok) return `${nameOf(leg)} answered ${took}: ${answer}`
  return `${nameOf(leg)} failed ${took}: ${kind}${status === undefined ? '' : ` (${status})`}`
}
