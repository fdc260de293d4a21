import { checkDocument } from '@understudy/config'
import type { CheckedDocument, Pin } from '@understudy/config'
import t from 'tap'

import { keptPins, PIN_MS, pinsOf, stepOf } from '../../src/live/pins.js'
import { resolve } from '../resolve.js'
import { EPOCH, HOUR, ROUTES } from './stage.js'

const MINUTE = 60_000

function pinned(preset: string, times: { readonly expires?: number; readonly updated?: number } = {}): CheckedDocument {
  const { expires, updated } = times
  const check = checkDocument({
    version: 1,
    updated_by: 'ann',
    reason: 'test',
    ...(updated !== undefined && { updated_at: new Date(updated).toISOString() }),
    routes: { chat: { active: preset, ...(expires !== undefined && { expires_at: new Date(expires).toISOString() }) } },
  }, resolve(ROUTES).known)
  if (check.type === 'wrong') throw new Error('the document is wrong')
  return check.document
}

function pinOf(document: CheckedDocument, firstAppliedAt: number, now = firstAppliedAt, before?: readonly Pin[]): Pin {
  const pin = pinsOf(document, firstAppliedAt, now, before && new Map(before.map((each) => [each.route, each]))).get('chat')
  if (pin === undefined) throw new Error('there is no pin')
  return pin
}

t.test('a pin ends when it says, else four hours behind the document, else four hours behind its first application', async (t) => {
  t.equal(PIN_MS, 4 * HOUR)
  t.equal(pinOf(pinned('local_only', { expires: EPOCH + 5, updated: EPOCH - HOUR }), EPOCH).expiresAt, EPOCH + 5)
  t.equal(pinOf(pinned('local_only', { updated: EPOCH - HOUR }), EPOCH).expiresAt, EPOCH + 3 * HOUR)
  t.equal(pinOf(pinned('local_only'), EPOCH, EPOCH + HOUR).expiresAt, EPOCH + 4 * HOUR)
  t.equal(pinOf(pinned('local_only', { updated: EPOCH + 1_000 * HOUR }), EPOCH, EPOCH + HOUR).expiresAt, EPOCH + 4 * HOUR, 'a clock that was ahead')
  t.equal(pinsOf(pinned('normal'), EPOCH, EPOCH).size, 0)
})

t.test('a pin whose time is over already never begins', async (t) => {
  t.equal(pinOf(pinned('local_only', { expires: EPOCH }), EPOCH).isOver, true)
  t.equal(pinOf(pinned('local_only', { expires: EPOCH + 1 }), EPOCH).isOver, false)
  t.equal(pinOf(pinned('local_only', { updated: EPOCH - 4 * HOUR }), EPOCH).isOver, true)
})

t.test('a later version that keeps the preset selected keeps what is known of the pin, another preset begins anew', async (t) => {
  const first = { ...pinOf(pinned('local_only'), EPOCH), toldHours: 2, toldExpiring: true }
  const extended = pinOf(pinned('local_only', { expires: EPOCH + 9 * HOUR }), EPOCH + 3 * HOUR, EPOCH + 3 * HOUR, [first])
  t.match(extended, { since: EPOCH, toldHours: 2, toldExpiring: false, expiresAt: EPOCH + 9 * HOUR })
  t.match(pinOf(pinned('second'), EPOCH + HOUR, EPOCH + HOUR, [first]), { since: EPOCH + HOUR, toldHours: 0 })
})

t.test('a pin that is over stays so, if the wall clock is set back too', async (t) => {
  const over = { ...pinOf(pinned('local_only', { expires: EPOCH + HOUR }), EPOCH), isOver: true }
  const again = pinned('local_only', { expires: EPOCH + HOUR })
  t.equal(pinOf(again, EPOCH - HOUR, EPOCH - HOUR, [over]).isOver, true)
  t.equal(keptPins(again, EPOCH, EPOCH - HOUR, [over]).get('chat')?.isOver, true)
  t.equal(pinOf(pinned('local_only', { expires: EPOCH + 2 * HOUR }), EPOCH, EPOCH, [over]).isOver, false, 'extending is a new decision')
})

t.test('over a restart, a pin whose time went by is still to be told of', async (t) => {
  const pin = pinOf(pinned('local_only'), EPOCH)
  const kept = keptPins(pinned('local_only'), EPOCH, EPOCH + 5 * HOUR, [pin]).get('chat')
  t.match(kept, { isOver: false, expiresAt: EPOCH + 4 * HOUR, since: EPOCH })
  t.strictSame(kept && stepOf(kept, EPOCH + 5 * HOUR).steps, ['expired'])
})

t.test('the steps of a pin: each hour once, ten minutes before its end, its end, and never again', async (t) => {
  let pin = pinOf(pinned('local_only', { expires: EPOCH + 3 * HOUR }), EPOCH)
  const log: string[] = []
  for (let minute = 0; minute <= 300; minute += 1) {
    const { pin: next, steps } = stepOf(pin, EPOCH + minute * MINUTE)
    pin = next
    for (const step of steps) log.push(`${minute} ${step}`)
  }
  t.strictSame(log, ['60 active-long', '120 active-long', '170 expiring', '180 expired'])
})

t.test('a clock that is set forward and back lets no step come twice, and none be lost', async (t) => {
  let pin = pinOf(pinned('local_only', { expires: EPOCH + 3 * HOUR }), EPOCH)
  const log: string[] = []
  for (const at of [2.5, 0.5, -100, 2.6, 2.9, 2.9, 3.5, 1, 3.5]) {
    const { pin: next, steps } = stepOf(pin, EPOCH + at * HOUR)
    pin = next
    log.push(`${at} ${steps.join()}`)
  }
  t.strictSame(log, ['2.5 active-long', '0.5 ', '-100 ', '2.6 ', '2.9 expiring', '2.9 ', '3.5 expired', '1 ', '3.5 '])
})

t.test('nobody is told that a pin of a few minutes ends soon', async (t) => {
  const pin = pinOf(pinned('local_only', { expires: EPOCH + 5 * MINUTE }), EPOCH)
  t.strictSame(stepOf(pin, EPOCH + MINUTE).steps, [])
})
