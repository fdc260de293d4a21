import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'

interface SoakResult {
  readonly framework: string
  readonly streams: number
  readonly aborted: Readonly<Record<string, number>>
  readonly serverWaited: number
  readonly left: object
  readonly heap: { readonly growth: number }
}

// Code is still being compiled between the 50th and the 100th stream; the full soak allows 5 % from the 1 000th to the 10 000th.
const LARGEST_GROWTH = '0.25'

t.test('300 aborted streams leave no socket, no timer, no handle and no listener behind, on any framework', async (t) => {
  const soak = fileURLToPath(new URL('soak.mjs', import.meta.url))
  const args = ['--json', '--streams', '100', '--first', '50', '--growth', LARGEST_GROWTH]
  // The same loader and conditions as this test, so that the sources are what is soaked.
  const { stdout } = await promisify(execFile)(process.execPath, [...process.execArgv, '--expose-gc', soak, ...args])
  const { results, trouble } = JSON.parse(stdout) as { results: readonly SoakResult[], trouble: readonly string[] }

  t.strictSame(trouble, [])
  t.strictSame(results.map(({ framework, streams, left }) => ({ framework, streams, left })), ['express', 'koa', 'fastify'].map(
    (framework) => ({
      framework,
      streams: 100,
      left: { serverConnections: 0, openRuns: 0, providerSockets: 0, handles: {}, processListeners: 0 },
    }),
  ))
  for (const { framework, aborted, serverWaited, heap } of results) {
    t.equal(Object.keys(aborted).length, 6, `${framework}: streams were aborted at each point`)
    t.equal(serverWaited, aborted['paused-reader'], `${framework}: the server waited for each paused reader`)
    t.ok(heap.growth <= Number(LARGEST_GROWTH), `${framework}: the heap grew by ${(heap.growth * 100).toFixed(1)} %`)
  }
})
