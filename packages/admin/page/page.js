import { listen, look } from './api.js'
import { openChange } from './change-dialog.js'
import { byId, say } from './dom.js'
import { sentence } from './happened.js'
import { routeCard } from './route.js'
import { ago } from './words.js'

const cards = new Map()
const connection = byId('connection')
let status

listen({
  onConnected() {
    say(connection, 'Live')
    connection.classList.remove('lost')
  },
  onLost() {
    say(connection, 'Connection lost: what you see may be old. Connecting again')
    connection.classList.add('lost')
  },
  onStatus(next) {
    status = next
    show()
  },
  onEvent(event) {
    const text = sentence(event)
    if (text !== undefined) say(byId('news'), text)
  },
})
window.addEventListener('resize', () => status !== undefined && show())

function show() {
  say(byId('source'), sourceWords(status))
  byId('empty')?.remove()
  const names = new Set(status.routes.map(({ name }) => name))
  for (const [name, { element }] of cards) {
    if (names.has(name)) continue
    element.remove()
    cards.delete(name)
  }
  for (const route of status.routes) {
    if (!cards.has(route.name)) {
      const card = routeCard(route.name, changesOf(route.name))
      cards.set(route.name, card)
      byId('routes').append(card.element)
    }
    cards.get(route.name).update(route, status)
  }
}

function sourceWords({ live, at }) {
  if (live === undefined) return 'No source of live chains: they stay as the code has them'
  if (live.last_read_error !== undefined) return `${live.source} cannot be read (${ago(live.last_read_error.at, at)}); what ran keeps running`
  const read = `from ${live.source}${live.last_read_at === undefined ? '' : `, read ${ago(live.last_read_at, at)}`}`
  const own = live.writable === false ? `. It cannot be changed here: the source is read only` : ''
  const runs = `${live.version === 0 ? `No live document yet, ${read}` : `Version ${live.version}, ${read}`}${own}`
  if (live.ignored !== undefined) return `${runs}. The source holds version ${live.ignored.version} by ${live.ignored.by}, which is ignored: a change needs a higher version`
  return live.holds_document === false && live.version > 0 ? `${runs}. The source holds no document any more; what ran keeps running` : runs
}

/** What the buttons of a route do. The version is the one that the person saw when the dialog opened. */
function changesOf(name) {
  const body = () => ({ route: name, ...(status.live === undefined ? {} : { expected_version: status.live.version }) })
  // What was done is told by its event, to this page as to all others; a page that lost its connection hears of none.
  const done = (text) => () => connection.classList.contains('lost') && say(byId('news'), text)
  return {
    onPin() {
      const { presets = [], chain } = status.routes.find((route) => route.name === name)
      openChange({
        title: `Pin a preset of ${name}`, text: 'It goes back to normal by itself when its time is over.', word: 'Pin',
        path: 'pin', body: body(), presets: presets.filter((preset) => preset.name !== (chain.preset ?? 'normal') && preset.name !== 'normal')
          .concat(presets.filter((preset) => preset.name === chain.preset && preset.name !== 'normal')),
        onDone: done(`${name}: pinned`),
      })
    },
    onUnpin() {
      openChange({ title: `Unpin ${name}`, text: 'It runs preset normal again.', word: 'Unpin', path: 'unpin', body: body(), onDone: done(`${name}: unpinned`) })
    },
    async onRevert() {
      const at = body()
      const text = await look(`revert?route=${encodeURIComponent(name)}`).then(revertWords, (refused) => `Its last change cannot be undone: ${refused.message}.`)
      openChange({ title: `Revert ${name}`, text, word: 'Revert', path: 'revert', body: at, onDone: done(`${name}: reverted`) })
    },
    onRestore(version) {
      const { expected_version: expected } = body()
      openChange({
        title: `Make version ${version} live again`, text: 'It is the whole document with all its routes, under a new version.', word: 'Make live',
        path: 'restore', body: { version, expected_version: expected }, onDone: done(`version ${version} is live again`),
      })
    },
    onEndDrill({ id }) {
      openChange({ title: `End the drill on ${name}`, text: 'No request is failed on purpose any more.', word: 'End drill', path: 'drills/end', body: { id }, onDone: done(`${name}: drill ended`) })
    },
  }
}

/** To which state a revert goes back: of two in a row the second undoes the first. */
function revertWords({ undoes, to }) {
  const what = to.preset === undefined ? `runs ${to.legs.join(', then ')}` : `runs preset ${to.preset}: ${to.legs.join(', then ')}`
  return `The change by ${undoes.actor} (${undoes.reason}) is undone. It then ${what}.`
}
