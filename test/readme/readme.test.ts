import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { SURFACE_PATHS } from '@understudy/http'
import t from 'tap'
import ts from 'typescript'

const ROOT = new URL('../..', import.meta.url).pathname
const SAMPLES = join(ROOT, 'test/readme/samples')
const DEADLINE_MS = 30_000

/** Keys for samples that mount well-known providers; no sample calls one. */
const KEYS = { OPENAI_API_KEY: 'key-of-a-sample', GROQ_API_KEY: 'key-of-a-sample' }

interface Fence {
  readonly file: string
  readonly line: number
  readonly language: string
  /** `mount`: a sample that makes an `app`, which the test listens with and asks for its routes. */
  readonly mode: string
  readonly code: string
}

function readmes(): readonly string[] {
  const packages = readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}/README.md`)
  return ['README.md', ...packages.sort()]
}

function textOf(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8')
}

/** The words of a union of strings, as its source spells them. */
function wordsOf(type: string, file: string): readonly string[] {
  const [, union = ''] = new RegExp(`^export type ${type} =\\n((?:  .*\\n)+)`, 'm').exec(textOf(file)) ?? []
  return [...union.matchAll(/\| '(\w+)'/g)].map(([, word = '']) => word)
}

/** What stands between two lines of a page that begin so. */
function between(file: string, from: string, to: string): string {
  return textOf(file).split(`\n${from}`)[1]?.split(`\n${to}`)[0] ?? ''
}

function fencesOf(file: string): readonly Fence[] {
  const text = readFileSync(join(ROOT, file), 'utf8')
  return [...text.matchAll(/^```(\w+) ?(\w*)\n([\s\S]*?)^```$/gm)].map((match) => {
    const [, language = '', mode = '', code = ''] = match
    return { file, line: text.slice(0, match.index).split('\n').length, language, mode, code }
  })
}

/** What follows a mounted sample: it listens and says which routes it serves under `/chat`. */
const ASK_ROUTES = `
const listening = app.listen(app.log ? { port: 0 } : 0)
const server = app.log ? app.server : listening
if (app.log) await listening
else await new Promise((resolve) => server.once('listening', resolve))
const models = await fetch('http://127.0.0.1:' + server.address().port + '/chat/models')
console.log('routes:', (await models.json()).data.map(({ id }) => id).join())
server.close()
server.closeAllConnections()
`

/** AWS's SDK warns everybody of the day on which it leaves a version of Node. */
const QUIET = { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' }

function run(name: string, code: string): Promise<{ readonly status: number | null; readonly output: string; readonly errors: string }> {
  const file = join(SAMPLES, `${name}.mjs`)
  writeFileSync(file, code)
  const env = { PATH: process.env['PATH'], ...KEYS, ...QUIET }
  const child = spawn(process.execPath, [file], { cwd: ROOT, env, timeout: DEADLINE_MS })
  let output = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', (status) => resolve({ status, output, errors }))
  })
}

/** What a sample says that it prints: the comment behind a `console.log`. */
function promised(code: string): readonly string[] {
  return [...code.matchAll(/^\s*console\.log\(.*\) \/\/ (.+)$/gm)].map(([, text = '']) => text)
}

mkdirSync(SAMPLES, { recursive: true })
t.teardown(() => rmSync(SAMPLES, { recursive: true }))

const fences = readmes().flatMap(fencesOf)
const runnable = fences.filter(({ language }) => ['js', 'ts'].includes(language))

t.test('the README has a sample for each framework, and one that runs without any set-up', async (t) => {
  const own = runnable.filter(({ file }) => file === 'README.md').map(({ code }) => code)
  for (const name of ['express', 'koa', 'fastify', 'core']) {
    t.ok(own.some((code) => code.includes(`'@understudy/${name}'`)), name)
  }
})

for (const { file, line, language, mode, code } of runnable) {
  t.test(`${file}:${line} runs and prints what it says`, async (t) => {
    const plain = language === 'ts' ? ts.transpile(code, { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 }) : code
    const name = `${file.replace(/\W+/g, '-')}-${line}`
    const { status, output, errors } = await run(name, mode === 'mount' ? plain + ASK_ROUTES : plain)
    t.equal(status, 0, errors)
    t.equal(errors, '', 'it warns of nothing')
    for (const text of promised(code)) t.ok(output.split('\n').includes(text), `prints '${text}'; printed:\n${output}`)
    if (mode === 'mount') t.match(output, /^routes: chat$/m)
  })
}

t.test('what the READMEs show as JSON is JSON', async (t) => {
  for (const { file, line, language, code } of fences) {
    if (language === 'json') t.doesNotThrow(() => JSON.parse(code), `${file}:${line}`)
  }
})

t.test('the README has every warning code that there is, and no other', async (t) => {
  const sources = readdirSync(join(ROOT, 'packages'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /^\w+\/src\/.*\.ts$/.test(file))
    .map((file) => readFileSync(join(ROOT, 'packages', file), 'utf8'))
  const codesIn = (text: string): readonly string[] => [...new Set(text.match(/(?<!ERR_)\bUNDERSTUDY_[A-Z_]+/g))].sort()
  t.strictSame(codesIn(readFileSync(join(ROOT, 'README.md'), 'utf8')), codesIn(sources.join('\n')))
})

t.test('the README has every error code that a client may read, and no other', async (t) => {
  const rows = between('README.md', '### Error codes', '### ').matchAll(/^\| `(\w+)` \|/gm)
  const codes = wordsOf('ErrorCode', 'packages/http/src/inbound/client-errors.ts').filter((code) => code !== 'aborted')
  t.not(codes.length, 0)
  t.strictSame([...rows].map(([, code = '']) => code).sort(), [...codes].sort())
})

t.test('the README of the admin surface has every error code of it, and no other', async (t) => {
  const rows = between('packages/admin/README.md', '| status | `code` |', '## ').matchAll(/^\| \d.* \| (.*) \|$/gm)
  // In brackets stands what goes with a code.
  const written = [...rows].flatMap(([, row = '']) => row.replace(/\(.*?\)/g, '').match(/(?<=`)[a-z_]+(?=`)/g) ?? [])
  const codes = wordsOf('AdminErrorCode', 'packages/admin/src/reply.ts')
  t.not(codes.length, 0)
  t.strictSame(written.sort(), [...codes].sort())
})

t.test('the README has every short path, and the adapters point there', async (t) => {
  const [row = ''] = /^\| `shortPaths` \|.*$/m.exec(textOf('README.md')) ?? []
  const short = SURFACE_PATHS.filter((path) => path.short).map(({ path }) => path)
  t.strictSame((row.match(/(?<=`)\/[\w-]*(?=`)/g) ?? []).sort(), [...new Set(short)].sort())
  for (const name of ['express', 'fastify', 'koa']) t.match(textOf(`packages/${name}/README.md`), '[short paths](../../README.md#options)', name)
})
