import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { once } from 'node:events'
import { createServer } from 'node:http'
import t from 'tap'

import { deferred } from '../../../../test/kit/deferred.js'
import { within } from '../../../../test/kit/within.js'
import type { Client, WatchedRequest } from '../../src/inbound/client.js'
import { clientOf, signalOf } from '../../src/inbound/client.js'
import type { InboundRequest } from '../../src/inbound/request.js'
import { readRequest } from '../../src/node/read-request.js'
import { chat, fallbackOf } from '../kit.js'

/** A client that leaves when a test says so. */
function someone(): Client & { readonly leave: () => void } {
  const listeners: (() => void)[] = []
  let isGone = false
  return {
    isGone: () => isGone,
    onGone: (listener) => (isGone ? listener() : void listeners.push(listener)),
    leave() {
      isGone = true
      for (const listener of listeners) listener()
    },
  }
}

function watched(client: Client, onSignal: () => void): WatchedRequest {
  const { signal, ...rest } = chat()
  const request: WatchedRequest = {
    ...rest,
    client,
    itself: () => request,
    get signal() {
      onSignal()
      return signal
    },
  }
  return request
}

t.test('a client is known by its own request only', async (t) => {
  const client = someone()
  const request = watched(client, () => undefined)
  t.equal(clientOf(request), client)
  const others: InboundRequest[] = [{ ...request }, Object.create(request) as InboundRequest, chat()]
  for (const other of others) t.equal(clientOf(other), undefined)
})

t.test('a client that leaves ends its run, and no signal is made for it', async (t) => {
  for (const when of ['before', 'later']) {
    const opened = deferred()
    const stopped = deferred()
    const fallback = fallbackOf(t, {
      chat: [{ name: 'a', open: (_request, { signal }) => {
        opened.resolve()
        signal.addEventListener('abort', () => stopped.resolve())
        return new Promise(() => undefined)
      } }, { name: 'b', open: () => t.fail('no other leg is asked') as never }],
    })
    const client = someone()
    if (when === 'before') client.leave()
    const response = fallback.handle(watched(client, () => t.fail('a signal was made')))
    if (when === 'later') {
      await within(1_000, 'the leg is asked', opened.promise)
      client.leave()
      await within(1_000, 'the leg is told', stopped.promise)
    }
    t.equal((await within(1_000, 'it is over', response)).status, 499)
    t.equal(fallback.snapshot().openRuns, 0)
  }
})

t.test('the signal of a copy rules over the client of the original', async (t) => {
  const opened = deferred()
  const fallback = fallbackOf(t, { chat: [{ name: 'a', open: () => {
    opened.resolve()
    return new Promise(() => undefined)
  } }] })
  const controller = new AbortController()
  const response = fallback.handle({ ...watched(someone(), () => undefined), signal: controller.signal })
  await within(1_000, 'the leg is asked', opened.promise)
  controller.abort()
  t.equal((await within(1_000, 'it is over', response)).status, 499)
})

t.test('a request of ours knows its client; a copy of it goes by the signal, its own or that of the original', async (t) => {
  const checked = deferred()
  const server = createServer((req, res) => {
    const request = readRequest(req, res, { path: '/', query: '', atRoot: true }, () => undefined)
    const copy: InboundRequest = { ...request }
    const own = AbortSignal.abort()
    t.equal(clientOf(request), request.client)
    t.equal(clientOf(copy), undefined)
    t.equal(signalOf(request), request.signal)
    t.equal(signalOf(copy), request.signal, 'the getter is not copied, and its signal counts all the same')
    t.equal(signalOf({ ...request, signal: own }), own)
    request.signal.addEventListener('abort', () => {
      t.equal(signalOf(copy).aborted, true)
      checked.resolve()
    })
    socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await within(5_000, 'the abort', checked.promise)
})
