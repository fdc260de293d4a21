import { make, say } from './dom.js'
import { isAbout } from './happened.js'
import { happenedList } from './happened-list.js'
import { legItem } from './leg.js'
import { drawTimeline, minutesOf } from './timeline.js'
import { tryList } from './try-list.js'
import { ago, clock, lasting } from './words.js'

/**
 * The card of one route. Its buttons are made once and stay, so that whoever stands on one with the keyboard is not thrown off by news.
 */
export function routeCard(name, { onPin, onUnpin, onRevert, onRestore, onEndDrill }) {
  const id = `route-${name.replace(/[^\w-]/g, '_')}`
  const what = make('p')
  const why = make('p', { class: 'soft' })
  const legs = make('ol', { class: 'legs', 'aria-label': `Chain of ${name}` })
  const drills = make('div')
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  svg.setAttribute('class', 'timeline')
  svg.setAttribute('role', 'img')
  const happened = happenedList(onRestore)
  const trial = tryList(name)
  const pin = button(`Pin a preset of ${name}`, 'Pin a preset', onPin)
  const unpin = button(`Unpin ${name}`, 'Unpin', () => unpin.getAttribute('aria-disabled') !== 'true' && onUnpin())
  const revert = button(`Revert the last change of ${name}`, 'Revert last change', onRevert)
  const element = make('section', { class: 'route', 'aria-labelledby': id },
    make('h2', { id }, name), what, why, legs, drills,
    make('div', { class: 'buttons' }, pin, unpin, revert, trial.button), trial.element,
    make('figure', {}, svg, make('figcaption', {}, key('runs', 'requests'), key('failovers', 'failovers'), key('failed', 'failed'), key('mark', 'changes'), key('trouble', 'trouble'))),
    make('details', {}, make('summary', {}, 'What happened'), happened.element))
  let shown

  return { element, update }

  function update(route, status) {
    const { chain } = route
    const isPinned = chain.preset !== undefined && chain.preset !== 'normal'
    element.classList.toggle('pinned', isPinned)
    say(what, whatRuns(chain, status.at))
    say(why, whyRuns(chain, status.at))
    const canChange = status.live?.writable === true
    const marks = status.happened.filter((event) => isAbout(event, route))
    pin.hidden = !canChange || chain.presets === undefined
    unpin.hidden = pin.hidden
    // Not disabled: the focus that a dialog gives back would be lost, where the news of the change comes before its answer.
    unpin.setAttribute('aria-disabled', String(!isPinned))
    revert.hidden = !canChange || (chain.layer === 'code' && !marks.some(({ type }) => type === 'chain-applied'))
    // Vectors of two models cannot be compared: such a route is not tried with a chat.
    trial.button.hidden = route.dimensions !== undefined
    legs.replaceChildren(...route.legs.map((leg) => legItem(leg, name, status)))
    const running = (status.drills ?? []).filter((drill) => drill.route === name)
    showDrills(running, status.at)
    drawTimeline(svg, { minutes: minutesOf(status, name), marks, now: status.at })
    happened.update(marks, status.live)
    if (shown !== undefined && shown !== chain.version + chain.layer) {
      element.classList.remove('fresh')
      // The animation begins again only if the browser has seen it gone.
      void element.offsetWidth
      element.classList.add('fresh')
    }
    shown = chain.version + chain.layer
  }

  function showDrills(running, now) {
    const ids = running.map(({ id: each }) => each).join()
    if (drills.dataset.ids !== ids) {
      drills.dataset.ids = ids
      drills.replaceChildren(...running.map((drill) =>
        make('div', { class: 'drill' }, make('p'), button(`End the drill on ${name}`, 'End drill', () => onEndDrill(drill)))))
    }
    for (const [index, drill] of running.entries()) {
      const { leg = 'the first leg', fault, share, drilled, max_requests: most, expires_at: expiresAt, by, reason } = drill
      const which = share === undefined ? 'signed requests' : `${Number((share * 100).toFixed(2))} % of the requests`
      const text = `Drill by ${by}: ${leg} fails on purpose (${fault}) for ${which}, ${drilled} of at most ${most}, for ${lasting(expiresAt - now)} more: ${reason}`
      say(drills.children[index].firstChild, text)
    }
  }
}

function whatRuns({ preset, layer, version, expires_at: expiresAt, marking }, now) {
  const chain = preset === undefined ? (layer === 'code' ? 'Runs the chain in code' : `Runs the chain of version ${version}`) : `Runs preset ${preset}`
  const end = expiresAt === undefined ? '' : `, until ${clock(expiresAt)} (${lasting(expiresAt - now)} more)`
  return `${chain}${end}${marking === undefined ? '' : `. Answers are marked ${marking}`}`
}

function whyRuns({ by, reason, since, layer }, now) {
  return by === undefined ? `From the code, since ${ago(since, now)}` : `By ${by}, ${ago(since, now)}: ${reason}${layer === 'last-known-good' ? ' (last known good)' : ''}`
}

/** The name says which route, for whoever does not see where the button stands. */
function button(label, text, onClick) {
  const made = make('button', { type: 'button', 'aria-label': label }, text)
  made.addEventListener('click', onClick)
  return made
}

function key(name, word) {
  return make('span', { class: 'word' }, make('span', { class: `key ${name}`, 'aria-hidden': 'true' }), word)
}
