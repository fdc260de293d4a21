import t from 'tap'
import { awaitFirstEvent, type ServerSentEvent } from '@understudy/sse'

const isContent = ({ data }: ServerSentEvent) => data.startsWith('content')

function loggedSource(log: string[], ...items: (string | Error)[]) {
  async function* source(): AsyncGenerator<ServerSentEvent, void, undefined> {
    try {
      for (const item of items) {
        if (item instanceof Error) throw item
        log.push(`read ${item}`)
        yield { data: item }
      }
    } finally {
      log.push('closed')
    }
  }
  return source()
}

t.test('holds back all events up to the accepted one and reads no further', async (t) => {
  const log: string[] = []
  const { held, rest, accepted } = await awaitFirstEvent(loggedSource(log, 'ping', 'content 1', 'content 2'), isContent)
  t.strictSame(held, [{ data: 'ping' }, { data: 'content 1' }])
  t.equal(accepted, true)
  t.strictSame(log, ['read ping', 'read content 1'])

  for await (const event of rest) log.push(`got ${event.data}`)
  t.strictSame(log.slice(2), ['read content 2', 'got content 2', 'closed'])
  t.strictSame(await rest.next(), { done: true, value: undefined })
})

t.test('says so when the source ends without an accepted event', async (t) => {
  const log: string[] = []
  const { held, rest, accepted } = await awaitFirstEvent(loggedSource(log, 'ping'), isContent)
  t.strictSame({ held, accepted, next: await rest.next(), log }, {
    held: [{ data: 'ping' }],
    accepted: false,
    next: { done: true, value: undefined },
    log: ['read ping', 'closed'],
  })
})

t.test('closes the source when the rest is given up, started or not', async (t) => {
  const log: string[] = []
  const unread = await awaitFirstEvent(loggedSource(log, 'content 1', 'content 2'), isContent)
  await unread.rest.return?.()
  await unread.rest.return?.()
  t.strictSame(log, ['read content 1', 'closed'])
  t.strictSame(await unread.rest.next(), { done: true, value: undefined })

  log.length = 0
  const { rest } = await awaitFirstEvent(loggedSource(log, 'content 1', 'content 2', 'content 3'), isContent)
  for await (const event of rest) {
    log.push(`got ${event.data}`)
    break
  }
  t.strictSame(log, ['read content 1', 'read content 2', 'got content 2', 'closed'])
})

t.test('passes on what the source or the caller throws, and closes the source', async (t) => {
  const log: string[] = []
  await t.rejects(awaitFirstEvent(loggedSource(log, 'ping', new Error('reset')), isContent), { message: 'reset' })
  const { rest } = await awaitFirstEvent(loggedSource(log, 'content 1', new Error('reset')), isContent)
  await t.rejects(rest.next(), { message: 'reset' })
  const refuse = () => {
    throw new Error('refused')
  }
  await t.rejects(awaitFirstEvent(loggedSource(log, 'ping', 'ping'), refuse), { message: 'refused' })
  t.strictSame(log, ['read ping', 'closed', 'read content 1', 'closed', 'read ping', 'closed'])
})

t.test('closes a source that is no generator, and keeps the first error when closing fails too', async (t) => {
  const log: string[] = []
  const source: AsyncIterable<ServerSentEvent> = {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        throw new Error('reset')
      },
      return: async () => {
        log.push('closed')
        throw new Error('closing failed')
      },
    }),
  }
  await t.rejects(awaitFirstEvent(source, isContent), { message: 'reset' })
  t.strictSame(log, ['closed'])
})

t.test('gives nothing more once closed, whatever the source does', async (t) => {
  const source: AsyncIterable<ServerSentEvent> = {
    [Symbol.asyncIterator]: () => ({ next: async () => ({ value: { data: 'content' } }) }),
  }
  const { rest } = await awaitFirstEvent(source, isContent)
  t.strictSame(await rest.next(), { done: false, value: { data: 'content' } })
  t.strictSame(await rest.return?.(), { done: true, value: undefined })
  t.strictSame(await rest.next(), { done: true, value: undefined })
})

t.test('stops holding back at its bounds and leaves the following events in the rest', async (t) => {
  const few = await awaitFirstEvent(loggedSource([], 'a', 'b', 'content'), isContent, { maxHeldEvents: 2 })
  t.strictSame([few.accepted, few.held.length, (await few.rest.next()).value], [false, 2, { data: 'content' }])
  const short = await awaitFirstEvent(loggedSource([], 'aaaa', 'b', 'content'), isContent, { maxHeldLength: 5 })
  t.strictSame([short.accepted, short.held.length, (await short.rest.next()).value], [false, 2, { data: 'content' }])
})
