import { spawn, spawnSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import t from 'tap'

import { within } from '../../../../test/kit/within.js'
import type { LastKnownGood } from '../../src/live/last-known-good.js'
import { readLastKnownGood, writeLastKnownGood } from '../../src/live/last-known-good.js'

function kept(version: number): LastKnownGood {
  return {
    document: { version, routes: {}, updated_by: 'ann', reason: 'test' },
    firstAppliedAt: 5,
    pins: [{ route: 'chat', preset: 'b', since: 1, expiresAt: 2, isOver: false, toldHours: 0, toldExpiring: false }],
    history: [{ version, outcome: 'applied', actor: 'ann', reason: 'test', document: { version }, previous: undefined, issues: [], at: 5 }],
  }
}

t.test('what was written is read again, whole, and nothing else is left in the folder', async (t) => {
  const folder = t.testdir()
  const path = join(folder, 'deeper', 'kept.json')
  t.strictSame(readLastKnownGood(path), { type: 'none' })
  await writeLastKnownGood(path, kept(1))
  await writeLastKnownGood(path, kept(2))
  t.match(readLastKnownGood(path), { type: 'found', kept: { ...kept(2), history: [{ version: 2, outcome: 'applied' }] } })
  t.strictSame(readdirSync(join(folder, 'deeper')), ['kept.json'])
})

t.test('a process beside this one that is further keeps its version', async (t) => {
  const path = join(t.testdir(), 'kept.json')
  await writeLastKnownGood(path, kept(9))
  await writeLastKnownGood(path, kept(8))
  t.match(readLastKnownGood(path), { kept: { document: { version: 9 } } })
})

t.test('a file that is damaged in any way is put aside and never trusted', async (t) => {
  const whole = join(t.testdir(), 'whole.json')
  await writeLastKnownGood(whole, kept(7))
  const text = readFileSync(whole, 'utf8')
  for (const [name, damaged] of Object.entries({
    empty: '',
    half: text.slice(0, text.length / 2),
    'another letter': text.replace('"ann"', '"bob"'),
    'another version': text.replaceAll('"version":7', '"version":8'),
    'another format': text.replace('"format":1', '"format":2'),
    'another format, laid out and cut': '{\n  "format": 2,\n  "checksum": "4',
    'cut in its first letters': '{"form',
    'an opening that a disk lost': `\0\0\0\0${text.slice(4)}`,
    'white space': ' \n',
    bytes: '\0\0\0\0',
    'no document': '{"format":1,"checksum":"44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a","kept":{}}',
  })) {
    const path = join(t.testdir({ 'kept.json': damaged }), 'kept.json')
    t.strictSame(readLastKnownGood(path), { type: 'corrupt', aside: `${path}.corrupt` }, name)
    t.strictSame([existsSync(path), readFileSync(`${path}.corrupt`, 'utf8')], [false, damaged], name)
  }
})

t.test('a file that never was one of ours is neither moved nor replaced, nor is anything of it that lies beside it', async (t) => {
  for (const [name, text] of Object.entries({
    'a package': '{"name":"x","version":"1.0.0"}',
    'a document of chains': '{"version":1,"routes":{},"updated_by":"ann","reason":"r"}',
    'a format of somebody else': '{"format":"esm","checksum":"none"}',
    'an empty object': '{}',
    list: '[]',
    text: 'format',
    'a copy of one of ours in a file of somebody else': `a backup:\n{"format":1,"checksum":"${'0'.repeat(64)}","kept":{}}`,
    'a large file': '{"name":"x"}'.padEnd(16 * 1_048_576 + 1),
  })) {
    const folder = t.testdir({ 'kept.json': text, 'kept.json.old.tmp': 'of somebody else' })
    const path = join(folder, 'kept.json')
    utimesSync(join(folder, 'kept.json.old.tmp'), 1, 1)
    t.strictSame(readLastKnownGood(path), { type: 'foreign' }, name)
    await t.rejects(writeLastKnownGood(path, kept(1)), { message: 'the file there holds something else, and is left as it is' }, name)
    t.strictSame(readdirSync(folder).sort(), ['kept.json', 'kept.json.old.tmp'], name)
    t.ok(readFileSync(path, 'utf8') === text, name)
  }
})

t.test('a file of ours that grew too large to be read is put aside', async (t) => {
  const path = join(t.testdir({ 'kept.json': '{"format":1,"checksum":"'.padEnd(16 * 1_048_576 + 1, '0') }), 'kept.json')
  t.match(readLastKnownGood(path), { type: 'corrupt' })
})

t.test('a path that cannot be read is told of, and stays as it is', async (t) => {
  const folder = t.testdir()
  mkdirSync(join(folder, 'kept.json'))
  t.match(readLastKnownGood(join(folder, 'kept.json')), { type: 'unreadable', trouble: 'EISDIR' })
})

t.test('a pipe in its place is told of and not waited for, and stays as it is', { skip: process.platform === 'win32' && 'no pipes there' }, async (t) => {
  const path = join(t.testdir(), 'kept.json')
  t.equal(spawnSync('mkfifo', [path]).status, 0)
  // A read that waited would hold this whole process: so another one reads.
  const script = `
    import { readLastKnownGood } from ${JSON.stringify(new URL('../../src/live/last-known-good.ts', import.meta.url).href)}
    console.log(JSON.stringify(readLastKnownGood(${JSON.stringify(path)})))
  `
  const { stdout } = spawnSync(process.execPath, [...process.execArgv, '--input-type=module', '-e', script], { timeout: 20_000, encoding: 'utf8' })
  t.equal(stdout.trim(), '{"type":"unreadable","trouble":"it is no file"}')
  await within(5_000, 'the write', t.rejects(writeLastKnownGood(path, kept(1)), { message: 'it is no file' }))
  t.equal(lstatSync(path).isFIFO(), true)
})

t.test('a link stays a link: what it leads to is written, read and put aside, whether it was there before or not', async (t) => {
  const folder = t.testdir({ links: {}, real: {} })
  const [link, real] = [join(folder, 'links', 'kept.json'), join(folder, 'real', 'file.json')]
  symlinkSync(join('..', 'real', 'file.json'), link)
  t.strictSame(readLastKnownGood(link), { type: 'none' })
  await writeLastKnownGood(link, kept(1))
  await writeLastKnownGood(link, kept(2))
  t.strictSame([lstatSync(link).isSymbolicLink(), readdirSync(join(folder, 'links')), readdirSync(join(folder, 'real'))], [true, ['kept.json'], ['file.json']])
  t.match(readLastKnownGood(link), { type: 'found', kept: { document: { version: 2 } } })
  writeFileSync(real, '{"format":1,"checks')
  t.match(readLastKnownGood(link), { type: 'corrupt', aside: `${real}.corrupt` })
  t.equal(lstatSync(link).isSymbolicLink(), true)
})

t.test('what a killed process left behind is swept away, what may be being written is not', async (t) => {
  const folder = t.testdir({ 'kept.json.old.tmp': 'half', 'kept.json.new.tmp': 'half', 'other.tmp': 'of somebody else' })
  utimesSync(join(folder, 'kept.json.old.tmp'), 1, 1)
  utimesSync(join(folder, 'other.tmp'), 1, 1)
  readLastKnownGood(join(folder, 'kept.json'))
  t.strictSame(readdirSync(folder).sort(), ['kept.json.new.tmp', 'other.tmp'])
})

t.test('a process that is killed between two writes, or in one, leaves a good file', async (t) => {
  const folder = t.testdir()
  const path = join(folder, 'kept.json')
  const script = join(folder, 'writer.mjs')
  writeFileSync(script, `
    import { writeLastKnownGood } from ${JSON.stringify(new URL('../../src/live/last-known-good.ts', import.meta.url).href)}
    const reason = 'x'.repeat(200_000)
    for (let version = 1; ; version += 1) {
      await writeLastKnownGood(${JSON.stringify(path)}, { document: { version, reason }, firstAppliedAt: 1, pins: [], history: [] })
      process.stdout.write('.')
    }
  `)
  const versions: number[] = []
  for (let round = 0; round < 4; round += 1) {
    const child = spawn(process.execPath, [...process.execArgv, script], { stdio: ['ignore', 'pipe', 'inherit'] })
    let writes = 0
    const written = new Promise<void>((resolve) => child.stdout.on('data', (dots: Buffer) => {
      writes += dots.length
      if (writes >= 3) resolve()
    }))
    await within(20_000, 'three writes', written)
    // Anywhere in the next write.
    await new Promise((resolve) => setTimeout(resolve, round))
    const gone = new Promise((resolve) => child.once('close', resolve))
    child.kill('SIGKILL')
    await within(5_000, 'the process is gone', gone)
    const reading = readLastKnownGood(path)
    t.equal(reading.type, 'found')
    if (reading.type === 'found') versions.push(Number(reading.kept.document['version']))
  }
  t.ok(versions.every((version) => version >= 3), versions.join())
})
