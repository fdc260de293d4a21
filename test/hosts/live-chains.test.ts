import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { fileSource } from '@understudy/config'
import { createFallback } from '@understudy/http'
import type { Fallback, FallbackOptions } from '@understudy/http'
import t from 'tap'
import type { Test } from 'tap'

import { plainSetUps, startHost } from '../cases/hosts.js'
import { deferred } from '../kit/deferred.js'
import { until } from '../kit/until.js'


function says(name: string, ...words: readonly string[]) {
  return { name, async *open() {
    yield* words
  } }
}

function start(t: Test, chains: FallbackOptions['chains'], legs: readonly object[] = [says('one', 'one')]): Fallback {
  const fallback = createFallback({
    chat: { presets: { normal: legs as ReturnType<typeof says>[], local_only: { legs: [says('own', 'own')], marking: 'degraded' } } },
  }, { chains })
  t.teardown(() => fallback.close())
  return fallback
}

function ask(port: number, stream = false): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'chat', stream, messages: [{ role: 'user', content: 'Hi' }] }),
  })
}

async function servedBy(port: number): Promise<string> {
  const response = await ask(port)
  await response.text()
  return `${response.headers.get('understudy-served')} ${response.headers.get('understudy-degraded')}`
}

function document(version: number, chat: object): string {
  return JSON.stringify({ version, updated_by: 'ann', reason: 'an incident', routes: { chat } })
}

for (const setUp of plainSetUps) {
  t.test(`${setUp}: a change of the file is seen by the next request, and a run on its way keeps its chain`, async (t) => {
    const path = join(t.testdir(), 'chains.json')
    const gate = deferred()
    const slow = { name: 'slow', async *open() {
      yield 'first '
      await gate.promise
      yield 'last'
    } }
    const fallback = start(t, { source: fileSource(path), pollMs: 50 }, [slow])
    const host = await startHost(setUp, fallback)
    t.teardown(() => host.close())
    const open = await ask(host.port, true)
    await writeFile(path, document(1, { active: 'local_only' }))
    await until('the change', () => fallback.snapshot().live?.version === 1)
    t.equal(await servedBy(host.port), 'own/own degraded')
    gate.resolve()
    const text = await open.text()
    t.ok(text.includes('first ') && text.includes('last') && text.includes('[DONE]'), 'the stream that was open is whole')
    t.equal(open.headers.get('understudy-served'), 'slow/slow')

    await writeFile(`${path}.new`, '{"version":2,')
    await rename(`${path}.new`, path)
    await until('the refusal', () => fallback.snapshot().live?.rejected === 1)
    t.equal(await servedBy(host.port), 'own/own degraded')
    await writeFile(path, document(3, { chain: ['custom/own', 'custom/slow'] }))
    await until('the next change', () => fallback.snapshot().live?.version === 3)
    t.equal(await servedBy(host.port), 'own/own null')
    t.strictSame(host.complaints, [])
  })

  t.test(`${setUp}: a pin by hand runs with the next request, and over a restart without its source`, async (t) => {
    const folder = t.testdir()
    const path = join(folder, 'chains.json')
    const chains = { source: fileSource({ path, write: true }), lastKnownGood: join(folder, 'kept.json') }
    const first = start(t, chains)
    const host = await startHost(setUp, first)
    t.equal(await servedBy(host.port), 'one/one null')
    await first.chains.pin({ actor: 'ann', reason: 'an incident', route: 'chat', preset: 'local_only' })
    t.equal(await servedBy(host.port), 'own/own degraded')
    await host.close()
    await first.close()
    await rm(path)
    const second = start(t, { ...chains, source: fileSource(path) })
    const again = await startHost(setUp, second)
    t.teardown(() => again.close())
    t.equal(await servedBy(again.port), 'own/own degraded')
    t.match(second.snapshot().routes[0]?.chain, { layer: 'last-known-good', version: 1, by: 'ann', reason: 'an incident' })
  })
}
