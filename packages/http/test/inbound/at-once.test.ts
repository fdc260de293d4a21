import type { AttemptRecord, Leg } from '@understudy/core'
import { legName } from '@understudy/core'
import fc from 'fast-check'
import t from 'tap'

import { AtOnceTexts } from '../../src/inbound/at-once.js'
import { reportJson } from '../../src/inbound/report.js'
import { headerText, trailHeader } from '../../src/inbound/trail.js'

const legOf = (provider: string, model: string): Leg => ({ provider, model, open: () => Promise.reject(new Error('is not asked')) })

t.test('what is ready says what is said of any other run', async (t) => {
  const ms = fc.oneof(fc.nat(100_000), fc.double({ min: 0, max: 1e6, noNaN: true }))
  const name = fc.oneof(fc.constantFrom('gpt-4o-mini', 'models/x y', '50%', 'a"b\\c', 'höhe', '高'), fc.string({ unit: 'grapheme' }))
  fc.assert(fc.property(name, name, name, fc.integer({ min: 1, max: 3 }), ms, (provider, model, first, chainLength, latencyMs) => {
    const leg = legOf(provider, model)
    const trail: readonly AttemptRecord[] = [{ outcome: 'served', provider, model, latencyMs }]
    const texts = new AtOnceTexts(leg, first, chainLength)
    t.equal(texts.served, headerText(legName(leg)))
    t.equal(texts.trail(latencyMs), trailHeader(trail))
    t.equal(texts.report(latencyMs), reportJson(first, legName(leg), chainLength, trail))
    JSON.parse(texts.report(latencyMs))
  }))
})

t.test('they hold for the chain that they were made for', async (t) => {
  const texts = new AtOnceTexts(legOf('a', 'm-2'), 'a/m-1', 2)
  t.equal(texts.holdFor('a/m-1', 2), true)
  t.equal(texts.holdFor('a/m-2', 2), false)
  t.equal(texts.holdFor('a/m-1', 1), false)
})
