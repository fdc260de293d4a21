import { call } from './api.js'
import { byId, make, say } from './dom.js'
import { nameOf } from './words.js'

const dialog = byId('change')
const preset = byId('preset')
const reason = byId('reason')
const actor = byId('actor')
const actorField = byId('actor-field')
const error = byId('change-error')
const submit = byId('change-submit')
let current

byId('change-form').addEventListener('submit', (event) => {
  event.preventDefault()
  void send()
})
byId('change-cancel').addEventListener('click', () => dialog.close())
preset.addEventListener('change', describePreset)

/**
 * Asks for the reason of a change, and makes it. `body` is what is sent beside it; `presets` are offered with a time. The dialog is the
 * browser's: it holds the focus, gives it back, and closes on Escape.
 */
export function openChange({ title, text, word, path, body, presets, onDone }) {
  current = { path, body, presets, onDone }
  say(byId('change-title'), title)
  say(byId('change-text'), text)
  say(submit, word)
  say(error, '')
  submit.disabled = false
  reason.value = ''
  byId('preset-fields').hidden = presets === undefined
  preset.replaceChildren(...(presets ?? []).map(({ name }) => make('option', { value: name }, name)))
  describePreset()
  dialog.showModal()
  const first = presets === undefined ? reason : preset
  first.focus()
}

function describePreset() {
  const chosen = current?.presets?.find(({ name }) => name === preset.value)
  const legs = chosen?.legs.map((leg) => `${nameOf(leg)}${leg.last_served_at === undefined ? ' (unproven)' : ''}`)
  say(byId('preset-legs'), legs === undefined ? '' : `Runs ${legs.join(', then ')}`)
}

async function send() {
  if (reason.value.trim() === '') return refuse('Say why: the reason stands in the history.', reason)
  if (!actorField.hidden && actor.value.trim() === '') return refuse('Say who you are.', actor)
  const asked = current
  const { path, body, presets, onDone } = asked
  // Whoever left with Escape may stand in the next dialog already, which is not this answer's.
  const isShown = () => dialog.open && current === asked
  submit.disabled = true
  try {
    const selected = presets === undefined ? {} : { preset: preset.value, for_ms: Number(byId('for').value) }
    const named = actorField.hidden ? {} : { actor: actor.value }
    await call(path, { ...body, ...selected, ...named, reason: reason.value })
    if (isShown()) dialog.close()
    onDone()
  } catch (refused) {
    const asksWho = refused.code === 'invalid_request' && /actor/.test(refused.message)
    if (asksWho) actorField.hidden = false
    const text = asksWho ? 'Say who you are.' : `Not done: ${refused.message}`
    if (isShown()) refuse(text, asksWho ? actor : reason)
    else say(byId('news'), text)
  } finally {
    if (isShown()) submit.disabled = false
  }
}

function refuse(text, field) {
  say(error, text)
  field.setAttribute('aria-invalid', 'true')
  field.addEventListener('input', () => field.removeAttribute('aria-invalid'), { once: true })
  field.focus()
}
