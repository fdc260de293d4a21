import { writeFileSync } from 'node:fs'
import { appendFile, chmod, lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import t from 'tap'
import type { Test } from 'tap'
import type { ChainSource } from '@understudy/config'
import { fileSource, isUnwritten } from '@understudy/config'
import { chainSourceContract } from '../../../../test/kit/chain-source-contract.js'
import { deferred } from '../../../../test/kit/deferred.js'
import { within } from '../../../../test/kit/within.js'
import { issueOf } from '../resolve.js'

const MAX_HISTORY = 12

chainSourceContract({
  name: 'a file that may be written',
  maxHistory: MAX_HISTORY,
  tellsWhenListening: false,
  makeHarness: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'understudy-file-'))
    const path = join(folder, 'chains.json')
    const sources: ChainSource[] = []
    return {
      open: async () => {
        const source = fileSource({ path, write: true, maxHistory: MAX_HISTORY })
        sources.push(source)
        return source
      },
      // A folder in the place of each file: what is asked of it fails.
      kill: async () => {
        for (const file of [path, `${path}.history.jsonl`]) {
          await rename(file, `${file}.away`)
          await mkdir(file)
        }
      },
      revive: async () => {
        for (const file of [path, `${path}.history.jsonl`]) {
          await rm(file, { recursive: true })
          await rename(`${file}.away`, file)
        }
      },
      close: async () => {
        for (const source of sources) await source.close?.()
        await rm(folder, { recursive: true })
      },
    }
  },
})

const soon = (): AbortSignal => AbortSignal.timeout(5_000)

async function inFolder(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'understudy-file-'))
  t.teardown(() => rm(folder, { recursive: true }))
  return folder
}

/** Two seconds ago: a file that nobody is about to write on. */
async function settle(path: string): Promise<void> {
  const then = new Date(Date.now() - 2_000)
  await utimes(path, then, then)
}

t.test('a file that a person keeps is read and watched, and nothing else', async (t) => {
  const path = join(await inFolder(t), 'chains.json')
  t.strictSame(Object.keys(fileSource(path)).sort(), ['close', 'name', 'read', 'watch'])
  t.strictSame(Object.keys(fileSource({ path, historyPath: `${path}l` })).sort(), ['close', 'history', 'name', 'read', 'record', 'watch'])
  t.equal(fileSource(path).name, 'file')
})

t.test('options that are none are refused', async (t) => {
  const wrong = (options: unknown): void => void Reflect.apply(fileSource, undefined, [options])
  t.throws(() => wrong({ path: '' }), { code: 'ERR_UNDERSTUDY_CONFIG', message: /fileSource\.path: is an empty string; expected a text/ })
  t.throws(() => wrong({ write: true }), /fileSource\.path: is undefined/)
  t.throws(() => wrong(undefined), { code: 'ERR_UNDERSTUDY_CONFIG', message: /fileSource: is undefined; expected an object with path, write, historyPath, maxHistory/ })
  t.throws(() => wrong({ path: 'a', wirte: true }), /fileSource\.wirte: is no option; did you mean 'write'\?/)
  t.throws(() => wrong({ path: 'a', maxHistory: 0 }), /fileSource\.maxHistory: is a number; expected a whole number from 1/)
})

t.test('an unchanged file is not read again; one that was touched is, and is unchanged still', async (t) => {
  const path = join(await inFolder(t), 'chains.json')
  const source = fileSource(path)
  await writeFile(path, '\uFEFF{"version":1}')
  const first = await source.read({ signal: soon() })
  t.match(first, { type: 'document', document: '{"version":1}' }, 'without its byte-order mark')
  const etag = first.type === 'document' ? first.etag : undefined
  await settle(path)
  t.strictSame(await source.read({ etag, signal: soon() }), { type: 'unchanged' })
  // What is not read cannot fail, whatever is in it.
  await rename(path, `${path}.away`)
  t.strictSame(await source.read({ etag, signal: soon() }), { type: 'none' }, 'a file that is gone')
  await rename(`${path}.away`, path)
  t.strictSame(await source.read({ etag, signal: soon() }), { type: 'unchanged' })
  await writeFile(path, '{"version":2}')
  t.match(await source.read({ etag, signal: soon() }), { type: 'document', document: '{"version":2}' }, 'of the same size')
})

t.test('a file that another one takes the place of again and again is read whole, each time', async (t) => {
  const path = join(await inFolder(t), 'chains.json')
  const source = fileSource(path)
  let writing = true
  const written = (async () => {
    for (let version = 1; writing; version += 1) {
      await writeFile(`${path}.next`, JSON.stringify({ version, reason: 'x'.repeat(200_000) }))
      await rename(`${path}.next`, path)
    }
  })()
  const readings = new Set<string>()
  for (let reads = 0; reads < 300; reads += 1) readings.add((await source.read({ signal: soon() })).type)
  writing = false
  await written
  readings.delete('none')
  t.strictSame([...readings], ['document'])
})

t.test('two changes of the same size within one tick of the clock are seen', async (t) => {
  const path = join(await inFolder(t), 'chains.json')
  const source = fileSource(path)
  let etag: string | undefined
  for (let version = 100; version < 300; version += 1) {
    writeFileSync(path, `{"version":${version}}`)
    const reading = await source.read({ etag, signal: soon() })
    t.match(reading, { type: 'document', document: `{"version":${version}}` })
    etag = reading.type === 'document' ? reading.etag : undefined
  }
})

t.test('a file that is empty, half-written, no file, no text or too large is a read that fails', async (t) => {
  const folder = await inFolder(t)
  const path = join(folder, 'chains.json')
  const source = fileSource(path)
  const cases: readonly (readonly [content: string | Uint8Array, wrong: RegExp])[] = [
    ['', /is empty/],
    [' \n', /is empty/],
    ['{"version":1,"rou', /no JSON; it may be half-written/],
    [new Uint8Array([0x7b, 0xff, 0x7d]), /no UTF-8/],
    ['"'.padEnd(1_048_577, 'x'), /larger than 1048576 bytes/],
  ]
  for (const [content, wrong] of cases) {
    await writeFile(path, content)
    await t.rejects(source.read({ signal: soon() }), wrong)
  }
  await t.rejects(fileSource(folder).read({ signal: soon() }), /that of no file/)
})

t.test('a file that stays broken is handed over, to be rejected and told of', async (t) => {
  const path = join(await inFolder(t), 'chains.json')
  await writeFile(path, '{"version":1,}')
  await settle(path)
  t.match(await fileSource(path).read({ signal: soon() }), { type: 'document', document: '{"version":1,}' })
})

t.test('a watch sees what editors and tools do to a file, and not what happens to others beside it', async (t) => {
  const folder = await inFolder(t)
  const path = join(folder, 'chains.json')
  const source = fileSource(path)
  t.teardown(() => source.close?.())
  let next = deferred()
  let told = 0
  source.watch?.(() => {
    told += 1
    next.resolve()
  })
  const acts: readonly (readonly [string, () => Promise<void>])[] = [
    ['made', () => writeFile(path, '{"version":1}')],
    ['rewritten in place', () => writeFile(path, '{"version":2}')],
    ['saved by a rename', () => writeFile(`${path}~`, '{"version":3}').then(() => rename(`${path}~`, path))],
    ['gone', () => rm(path)],
    ['back', () => writeFile(path, '{"version":4}')],
  ]
  for (const [what, act] of acts) {
    next = deferred()
    await act()
    await within(5_000, what, next.promise)
  }
  const before = told
  await writeFile(join(folder, 'other.json'), '{}')
  next = deferred()
  await rm(path)
  await within(5_000, 'gone again', next.promise)
  t.equal(told, before + 1)
})

t.test('a folder that is there only later, or is replaced, is watched from the next read on', async (t) => {
  const parent = await inFolder(t)
  const folder = join(parent, 'config')
  const path = join(folder, 'chains.json')
  const source = fileSource(path)
  t.teardown(() => source.close?.())
  let next = deferred()
  source.watch?.(() => next.resolve())
  t.strictSame(await source.read({ signal: soon() }), { type: 'none' })
  for (const round of ['made', 'replaced']) {
    await mkdir(folder)
    await source.read({ signal: soon() })
    next = deferred()
    await writeFile(path, '{"version":1}')
    await within(5_000, round, next.promise)
    next = deferred()
    await rename(folder, join(parent, round))
    await within(5_000, 'gone', next.promise)
  }
})

t.test('a written file keeps its mode, stays a link, and no file of ours stays beside it', async (t) => {
  const folder = await inFolder(t)
  await mkdir(join(folder, 'real'))
  const real = join(folder, 'real', 'chains.json')
  const path = join(folder, 'chains.json')
  await writeFile(real, '{"version":1}')
  await chmod(real, 0o640)
  await symlink(real, path)
  const source = fileSource({ path, write: true })
  await source.write?.({ version: 2 }, { expectedVersion: 1, signal: soon() })
  t.ok((await lstat(path)).isSymbolicLink())
  t.equal((await lstat(real)).mode & 0o777, 0o640)
  t.equal(await readFile(real, 'utf8'), '{\n  "version": 2\n}\n')
  t.strictSame((await readdir(folder)).sort(), ['chains.json', 'chains.json.history.jsonl', 'real'])
  t.strictSame(await readdir(join(folder, 'real')), ['chains.json'])
})

t.test('a broken document is replaced by who expects none', async (t) => {
  const path = join(await inFolder(t), 'chains.json')
  const source = fileSource({ path, write: true })
  for (const broken of ['{"version":', '{"version":"3"}', '[]', '{"version":-1}', 'null']) {
    await writeFile(path, broken)
    await t.rejects(async () => source.write?.({ version: 4 }, { expectedVersion: 3, signal: soon() }), { code: 'version_conflict', actualVersion: 0 })
    await source.write?.({ version: 4 }, { expectedVersion: 0, signal: soon() })
    t.match(await readFile(path, 'utf8'), /"version": 4/)
  }
})

t.test('the lock of a process that died is taken over by one of all who wait', async (t) => {
  const path = join(await inFolder(t), 'chains.json')
  await writeFile(`${path}.lock`, 'of a process that died')
  const sources = Array.from({ length: 5 }, () => fileSource({ path, write: true }))
  const writes = sources.map((source) => source.write?.({ version: 1 }, { expectedVersion: 0, signal: AbortSignal.timeout(15_000) }))
  const outcomes = await Promise.allSettled(writes)
  t.strictSame(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected', 'rejected', 'rejected', 'rejected'])
  for (const outcome of outcomes) if (outcome.status === 'rejected') t.match(outcome.reason, { code: 'version_conflict' })
})

t.test('a lock that is held is waited for, as long as the signal says', async (t) => {
  const path = join(await inFolder(t), 'chains.json')
  await writeFile(`${path}.lock`, 'held')
  const write = fileSource({ path, write: true }).write?.({ version: 1 }, { expectedVersion: 0, signal: AbortSignal.timeout(200) })
  await t.rejects(write ?? Promise.resolve(), { name: 'TimeoutError' })
  t.equal(await readFile(`${path}.lock`, 'utf8'), 'held')
  await t.rejects(readFile(path), { code: 'ENOENT' })
})

t.test('lines of the history that a crash cut, or others put there, are passed over', async (t) => {
  const path = join(await inFolder(t), 'chains.json')
  const source = fileSource({ path, write: true })
  await source.write?.({ version: 1, updated_by: 'ann', reason: 'one' }, { expectedVersion: 0, signal: soon() })
  await appendFile(`${path}.history.jsonl`, 'null\n{"version":7}\n{"outcome":"applied","at":1,"ver')
  await source.write?.({ version: 2, updated_by: 'bob', reason: 'two' }, { expectedVersion: 1, signal: soon() })
  const entries = await source.history?.({ limit: 10, signal: soon() })
  t.strictSame(entries?.map(({ version, actor }) => [version, actor]), [[2, 'bob'], [1, 'ann']])
})

t.test('a write makes the folder that is not there yet, and that of the history', async (t) => {
  const folder = await inFolder(t)
  const source = fileSource({ path: join(folder, 'a', 'b', 'chains.json'), historyPath: join(folder, 'c', 'history.jsonl'), write: true })
  await source.write?.({ version: 1 }, { expectedVersion: 0, signal: soon() })
  t.match(await source.read({ signal: soon() }), { type: 'document' })
  t.match(await source.history?.({ limit: 5, signal: soon() }), [{ version: 1 }])
})

t.test('a write that failed before the document was put in its place is known as one that changed nothing', async (t) => {
  const folder = await inFolder(t)
  await writeFile(join(folder, 'no-folder'), '')
  const write = (path: string, signal = soon()) => fileSource({ path, write: true }).write?.({ version: 1 }, { expectedVersion: 0, signal })
  const failed = async (path: string, signal?: AbortSignal): Promise<unknown> => {
    try {
      await write(path, signal)
      return 'done'
    } catch (error) {
      return error
    }
  }
  const early = await failed(join(folder, 'no-folder', 'chains.json'))
  t.match(early, { code: /^(?:ENOTDIR|EEXIST)$/ })
  t.equal(isUnwritten(early), true)
  await mkdir(join(folder, 'taken'))
  const late = await failed(join(folder, 'taken'))
  t.match(late, { code: /^EISDIR$/ }, 'what is in its place cannot be read')
  t.equal(isUnwritten(late), true)
  await writeFile(join(folder, 'held.json.lock'), 'held')
  t.equal(isUnwritten(await failed(join(folder, 'held.json'), AbortSignal.timeout(100))), false, 'nobody waited for its end')
})

t.test('no last-known-good file is kept in a file of the source, however the path is written', async (t) => {
  const folder = await inFolder(t)
  const path = join(folder, 'chains.json')
  await symlink(path, join(folder, 'link.json'))
  await symlink(folder, join(folder, 'other-name'))
  const source = fileSource({ path, write: true })
  const issue = (lastKnownGood: string, given: ChainSource = source): string => issueOf({ chat: ['openai/a'] }, { chains: { source: given, lastKnownGood } })
  const option = 'options.chains.lastKnownGood'
  t.equal(issue(path), `${option}: is '${path}', which is the document of fileSource too; give a path of its own`)
  t.equal(issue(path, fileSource(path)), issue(path), 'one that is only read is not to be replaced either')
  t.equal(issue(path, { ...source }), issue(path), 'a copy of a source has its files')
  t.equal(issue(join(folder, 'deeper', '..', 'chains.json')), issue(path))
  t.equal(issue(`${path}.history.jsonl`), `${option}: is '${path}.history.jsonl', which is the history of fileSource too; give a path of its own`)
  t.match(issue(`${path}.lock`), 'which is the lock of the document of fileSource too')
  t.equal(issue(join(folder, 'link.json')),
    `${option}: is '${join(folder, 'link.json')}', which is the same file as '${path}', the document of fileSource; give a path of its own`)
  t.match(issue(join(folder, 'other-name', 'chains.json')), `which is the same file as '${path}'`)
  t.equal(issue(join(folder, 'kept.json')), '')
})
