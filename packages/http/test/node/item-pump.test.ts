import type { DirectIterator, ItemReader } from '@understudy/core'
import { READ } from '@understudy/core'
import t from 'tap'

import type { ItemTaker } from '../../src/node/item-pump.js'
import { ItemPump } from '../../src/node/item-pump.js'

type Item = IteratorResult<Uint8Array, undefined>
type Reader = ItemReader<Uint8Array>

const DONE: Item = { done: true, value: undefined }
const item = (text: string): Item => ({ done: false, value: Buffer.from(text) })

function pumpOf(source: AsyncIterator<Uint8Array>, takeItem: ItemTaker['takeItem'], failItems: ItemTaker['failItems'] = t.threw): ItemPump {
  return new ItemPump(source, { takeItem, failItems })
}

/** A stream that is read directly: `answer` is asked at each read. */
function direct(answer: (reader: Reader) => void): DirectIterator<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    next: () => Promise.reject(new Error('read by a promise')),
    [READ]: answer,
  }
}

function texts(log: string[], wants: (text: string) => boolean) {
  return (result: IteratorResult<Uint8Array>): boolean => {
    const text = result.done === true ? 'end' : String(result.value)
    log.push(text)
    return wants(text)
  }
}

t.test('reads directly where it can, and makes no call within a call for items that are there', async (t) => {
  let given = 0
  let depth = 0
  let deepest = 0
  const source = direct((reader) => {
    depth += 1
    deepest = Math.max(deepest, depth)
    given += 1
    reader.onItem(given > 100_000 ? DONE : item('x'))
    depth -= 1
  })
  let ends = 0
  pumpOf(source, ({ done }) => done !== true || (ends += 1) < 0).start()
  t.equal(given, 100_001)
  t.equal(deepest, 1)
  t.equal(ends, 1)
})

t.test('asks for one at a time, however often it is started, and for none that is not wanted', async (t) => {
  const waiting: Reader[] = []
  const log: string[] = []
  const pump = pumpOf(direct((reader) => void waiting.push(reader)), texts(log, (text) => text !== 'full'))
  t.equal(waiting.length, 0)
  for (let n = 0; n < 3; n += 1) pump.start()
  t.equal(waiting.length, 1)
  waiting[0]?.onItem(item('one'))
  t.equal(waiting.length, 2)
  pump.start()
  waiting[1]?.onItem(item('full'))
  t.equal(waiting.length, 2, 'a start while one was asked for asks for no other')
  pump.start()
  t.equal(waiting.length, 3)
  waiting[2]?.onItem(DONE)
  pump.start()
  t.equal(waiting.length, 3, 'nothing is asked for behind the end')
  t.strictSame(log, ['one', 'full', 'end'])
})

t.test('started by the one who takes an item, gives the next one when he is done', async (t) => {
  const waiting: Reader[] = []
  const log: string[] = []
  const pump: ItemPump = pumpOf(direct((reader) => {
    if (waiting.push(reader) > 1) reader.onItem(waiting.length === 4 ? DONE : item(`${waiting.length}`))
  }), (taken) => {
    const text = taken.done === true ? 'end' : String(taken.value)
    log.push(`${text} comes`)
    pump.start()
    log.push(`${text} is taken`)
    return false
  })
  pump.start()
  waiting[0]?.onItem(item('1'))
  t.strictSame(log, ['1 comes', '1 is taken', '2 comes', '2 is taken', '3 comes', '3 is taken', 'end comes', 'end is taken'])
})

t.test('an error is told, whether it is thrown, rejected or given', async (t) => {
  const sources: AsyncIterator<Uint8Array>[] = [
    direct((reader) => reader.onFailure(new Error('given'))),
    { next: () => Promise.reject(new Error('rejected')) },
    { next: () => { throw new Error('thrown') } },
  ]
  const log: string[] = []
  for (const source of sources) {
    await new Promise<void>((resolve) => pumpOf(source, () => false, (error) => {
      log.push(error instanceof Error ? error.message : '')
      resolve()
    }).start())
  }
  t.strictSame(log, ['given', 'rejected', 'thrown'])
})
