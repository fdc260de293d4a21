import { make } from './dom.js'
import { sentence } from './happened.js'
import { clock } from './words.js'

/**
 * What happened to a route, newest first. An item stays once it is there, so that whoever stands on its button is not thrown off by news.
 * A document that was applied can be made live again.
 */
export function happenedList(onRestore) {
  const items = new Map()
  const nothing = make('li', {}, 'Nothing since the start')
  const element = make('ol', { class: 'happened', reversed: '' }, nothing)

  return {
    element,
    update(events, live) {
      const told = events.filter((event) => sentence(event) !== undefined)
      const keys = new Set(told.map(keyOf))
      for (const [key, { item }] of items) {
        if (keys.has(key)) continue
        item.remove()
        items.delete(key)
      }
      nothing.hidden = told.length > 0
      for (const event of told) {
        const key = keyOf(event)
        if (!items.has(key)) {
          items.set(key, madeItem(event))
          element.prepend(items.get(key).item)
        }
        const { restore } = items.get(key)
        if (restore !== undefined) restore.hidden = live?.writable !== true || live.version === event.version
      }
    },
  }

  function madeItem(event) {
    const { at, version, type } = event
    const restore = type === 'chain-applied' ? make('button', { type: 'button' }, `Make version ${version} live again`) : undefined
    restore?.addEventListener('click', () => onRestore(version))
    return { item: make('li', {}, make('span', {}, `${clock(at)} ${sentence(event)}`), restore), restore }
  }
}

function keyOf({ type, at, version, id, provider, model }) {
  return [type, at, version, id, provider, model].join(' ')
}
