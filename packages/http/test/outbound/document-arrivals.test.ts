import type { Arrival } from '@understudy/core'
import { READ } from '@understudy/core'
import t from 'tap'

import { DocumentArrivals } from '../../src/outbound/document-arrivals.js'
import { plainCodec } from './kit.js'
import { ScriptedBytes } from './scripted-bytes.js'

function open(source = new ScriptedBytes()) {
  const stop = new AbortController()
  const reader = { codec: plainCodec(), signal: stop.signal, sameDialect: true, streamed: false }
  const arrivals = new DocumentArrivals(source, 200, undefined, reader)
  const told: (string | undefined)[] = []
  const read = () => arrivals[READ]({
    onItem: (result: IteratorResult<Arrival, undefined>) => void told.push(result.done === true ? 'done' : Buffer.from(result.value.bytes ?? []).toString()),
    onFailure: (reason) => void told.push(String(reason)),
  })
  return { source, stop, told, read }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

t.test('a document that is all there is told at once, and once', async (t) => {
  const { source, told, read } = open()
  source.give('{"a":1}')
  source.state = 'ended'
  read()
  t.strictSame(told, ['{"a":1}'])
  read()
  t.strictSame(told, ['{"a":1}', 'done'])
})

t.test('one that is still to come is told when it is there', async (t) => {
  const { source, told, read } = open()
  source.give('{"a"')
  read()
  await turn()
  t.strictSame(told, [])
  source.state = 'ended'
  source.give(':1}')
  await turn()
  t.strictSame(told, ['{"a":1}'])
})

t.test('what goes wrong is told, and never thrown', async (t) => {
  const late = open()
  late.read()
  late.stop.abort(new Error('stopped'))
  late.source.wake()
  await turn()
  t.strictSame(late.told, ['Error: stopped'])

  class Broken extends ScriptedBytes {
    override take(): never {
      throw new Error('broken')
    }
  }
  const broken = open(new Broken())
  broken.read()
  t.strictSame(broken.told, ['Error: broken'])
})
