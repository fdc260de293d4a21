import { changesRoute, entryBefore, isSameSelection } from '@understudy/config'
import type { HistoryEntry } from '@understudy/config'
import t from 'tap'

const AT = Date.UTC(2030, 0, 31, 2)
const HOUR = 3_600_000
const PIN = { active: 'second' }
const until = (hours: number) => ({ ...PIN, expires_at: new Date(AT + hours * HOUR).toISOString() })

function applied(version: number, routes: object, previous?: object, updatedAt?: number): HistoryEntry {
  const time = updatedAt === undefined ? {} : { updated_at: new Date(updatedAt).toISOString() }
  return {
    version, outcome: 'applied', actor: 'ann', reason: 'r', issues: [], at: AT,
    document: { version, routes }, previous: previous && { version: version - 1, routes: previous, ...time },
  }
}

t.test('an entry selects what it selected when its time was stamped, and not with another time', async (t) => {
  const same = (one: object, other: object): boolean => isSameSelection({ ...one }, { ...other })
  t.strictSame([same(PIN, until(4)), same(until(4), PIN), same(until(4), until(4)), same({}, {})], [true, true, true, true])
  t.strictSame([same(until(4), until(5)), same(PIN, { active: 'third' }), same({ active: 'third' }, until(4))], [false, false, false])
  t.strictSame([isSameSelection(undefined, undefined), isSameSelection(undefined, until(4))], [true, false])
})

t.test('a stamp that comes with a change of another route is no change, one that comes alone or with another time is', async (t) => {
  const other = { plain: { chain: ['a/b'] } }
  t.equal(changesRoute(applied(2, { chat: until(4), ...other }, { chat: PIN }), 'chat'), false)
  t.equal(changesRoute(applied(2, { chat: until(4), ...other }, { chat: PIN }), 'plain'), true)
  t.equal(changesRoute(applied(2, { chat: until(4), ...other }, { chat: PIN }, AT), 'chat'), false)
  t.equal(changesRoute(applied(2, { chat: until(5), ...other }, { chat: PIN }, AT), 'chat'), true, 'not the time that it had')
  t.equal(changesRoute(applied(2, { chat: until(4) }, { chat: PIN }), 'chat'), true, 'somebody said how long')
  t.equal(changesRoute(applied(2, { chat: until(5), ...other }, { chat: until(4) }), 'chat'), true, 'extended')
  t.equal(changesRoute(applied(1, { chat: PIN }), '__proto__'), false)
})

t.test('what was before a change keeps the time that it had', async (t) => {
  const change = applied(2, {}, { chat: PIN })
  const first = { ...applied(1, { chat: PIN }), at: AT - HOUR }
  t.same(entryBefore(change, 'chat', [change, first]), until(3), 'behind its first application')
  t.same(entryBefore(change, 'chat', [change]), until(4))
  t.same(entryBefore(applied(2, {}, { chat: PIN }, AT - 2 * HOUR), 'chat', [first]), until(2), 'behind its updated_at')
  t.same(entryBefore(applied(2, {}, { chat: until(9) }), 'chat', []), until(9))
  t.same(entryBefore(applied(2, {}, { chat: { active: 'normal' } }), 'chat', []), { active: 'normal' })
  t.equal(entryBefore(applied(2, { chat: PIN }), 'chat', []), undefined)
})
