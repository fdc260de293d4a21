// The packages as a host gets them: packed, installed outside the workspace, type-checked and run. `npm test` has built them.
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import t from 'tap'

import { install, packAll } from './install.js'
import { runCommand } from './run-command.js'

const ROOT = new URL('../..', import.meta.url).pathname
const FIXTURES = join(ROOT, 'test/consumers/fixtures')
const PACKAGES = readdirSync(join(ROOT, 'packages')).sort()
const SERVED = 'buffered: 200, whole, served by second/small-1\nstreamed: 200, whole, served by second/small-1\n'

/**
 * Each adapter has a project of its own, as in life, and because `@types/koa` does not type-check beside Express 5, whose
 * `content-disposition` it takes for its own; and so has the client, beside an SDK, and each store, beside its drivers. For each: the
 * framework, the types that hosts need beside it, the hosts in TypeScript, and what they say if they ask for no answer.
 */
const ADAPTERS = {
  express: { framework: { express: '5', '@understudy/cli': '' }, types: { '@types/express': '5' }, hosts: ['express.ts', 'commonjs.cts', 'routes.ts'] },
  koa: { framework: { koa: '3' }, types: { '@types/koa': '3' }, hosts: ['koa.ts'] },
  fastify: { framework: { fastify: '5' }, types: {}, hosts: ['fastify.ts'] },
  admin: { framework: { express: '5' }, types: { '@types/express': '5' }, hosts: ['admin.ts'], says: '403, 200, 200\n' },
  client: { framework: { openai: '6' }, types: {}, hosts: ['client.ts'] },
  redis: { framework: { redis: '5', ioredis: '5' }, types: {}, hosts: ['redis.ts'], says: 'redis, redis\n' },
  postgres: { framework: { pg: '8' }, types: { '@types/pg': '8' }, hosts: ['postgres.ts'], says: 'postgres, 2 tables\n' },
}

/** What is published beside the sources and what is built from them. */
const SHIPPED: Readonly<Record<string, readonly string[]>> = { admin: ['page'], config: ['chain-document.schema.json'], postgres: ['migration.sql'] }

/** What all hosts in TypeScript say to the compiler. The vendors' own types hold, so nothing is skipped. */
const STRICT = { target: 'es2023', lib: ['es2023'], types: ['node'], strict: true, skipLibCheck: false }

const MODES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  nodenext: { module: 'nodenext' },
  bundler: { module: 'preserve', moduleResolution: 'bundler' },
}

interface Manifest {
  readonly version: string
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  readonly bin?: Readonly<Record<string, string>> | undefined
  readonly dependencies?: Readonly<Record<string, string>> | undefined
  readonly peerDependencies?: Readonly<Record<string, string>> | undefined
}

const folder = mkdtempSync(join(tmpdir(), 'understudy-consumers-'))
t.setTimeout(600_000)
t.teardown(() => rmSync(folder, { recursive: true }))

const tarballs = await packAll(ROOT, join(folder, 'tarballs'))
const [tools, node24, ...installs] = await Promise.all([
  install(join(folder, 'tools'), {}, { typescript: '6' }),
  install(join(folder, 'node24'), {}, { node: '24' }),
  ...Object.entries(ADAPTERS).map(async ([name, { framework, types }]) => {
    const own = { [`@understudy/${name}`]: '', '@understudy/simulator': '' }
    return { name, ...(await install(join(folder, name), tarballs, { ...own, ...framework, ...types, '@types/node': '20' })) }
  }),
])

/** Where a package is installed: in the project of its own adapter, or in that of Express. */
function installed(name: string): string {
  return join(folder, name in ADAPTERS ? name : 'express', 'node_modules/@understudy', name)
}

function filesIn(parent: string): readonly string[] {
  return readdirSync(parent, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(parent.length + 1))
    .sort()
}

/** Without what some versions of Node say of `require` of an ES module. */
function withoutNotice(errors: string): string {
  return errors.replace(/^\(node:\d+\) ExperimentalWarning: .*\n(?:\(Use `node --trace-warnings .*\n)?/gm, '')
}

t.test('every package is packed', async (t) => {
  t.strictSame(Object.keys(tarballs).sort(), PACKAGES.map((name) => `@understudy/${name}`))
})

for (const { name, status, errors } of installs) {
  t.test(`npm installs the ${name} adapter beside its framework and warns of nothing of ours`, async (t) => {
    t.equal(status, 0, errors)
    t.notMatch(errors, /peer|ERESOLVE|understudy/i)
  })
}

for (const name of PACKAGES) {
  t.test(`${name} brings its licence, its README, its sources and what was built from them, and nothing else`, async (t) => {
    const at = installed(name)
    t.strictSame(readdirSync(at).sort(), ['LICENSE', 'README.md', 'dist', 'package.json', 'src', ...(SHIPPED[name] ?? [])].sort())
    t.equal(readFileSync(join(at, 'LICENSE'), 'utf8'), readFileSync(join(ROOT, 'LICENSE'), 'utf8'))
    const sources = filesIn(join(at, 'src'))
    t.strictSame(sources.filter((file) => !/^[a-z0-9-]+(?:\/[a-z0-9-]+)*\.ts$/.test(file)), [], 'no tests, no leftovers')
    const built = sources.flatMap((file) => ['.d.ts', '.d.ts.map', '.js', '.js.map'].map((end) => file.replace(/\.ts$/, end)))
    t.strictSame(filesIn(join(at, 'dist')), built.sort())
  })

  t.test(`${name} has what its manifest points at, and takes its dependencies in ranges`, async (t) => {
    const own = JSON.parse(readFileSync(join(installed(name), 'package.json'), 'utf8')) as Manifest
    const targets = [...Object.values(own.exports), own.bin ?? {}].flatMap((target) =>
      typeof target === 'string' ? target : Object.values(target),
    )
    t.strictSame(targets.filter((target) => !existsSync(join(installed(name), target))), [])
    const ranges = Object.entries({ ...own.dependencies, ...own.peerDependencies })
    t.strictSame(ranges.filter(([, range]) => !/^\^\d/.test(range)), [], 'a host can update them')
    t.strictSame(ranges.filter(([key, range]) => key.startsWith('@understudy/') && range !== `^${own.version}`), [])
  })
}

for (const [name, { hosts, ...more }] of Object.entries(ADAPTERS)) {
  const says = 'says' in more ? more.says : SERVED
  t.test(`a host with ${name} in TypeScript type-checks in full, for Node and for a bundler, and runs`, async (t) => {
    t.equal(tools.status, 0, tools.errors)
    const project = join(folder, name)
    for (const file of ['ask.ts', 'providers.ts', ...hosts]) copyFileSync(join(FIXTURES, file), join(project, file))
    const runs = Object.entries(MODES).map(async ([mode, module]) => {
      // A module that is CommonJS by its name is a matter of Node's alone.
      const files = ['ask.ts', 'providers.ts', ...hosts].filter((file) => mode === 'nodenext' || !file.endsWith('.cts'))
      writeFileSync(join(project, `${mode}.json`), JSON.stringify({ compilerOptions: { ...STRICT, ...module, outDir: mode }, files }))
      const compiler = join(folder, 'tools/node_modules/typescript/bin/tsc')
      const compiled = await runCommand(project, process.execPath, compiler, '-p', `${mode}.json`)
      t.strictSame(compiled, { status: 0, output: '', errors: '' }, `${mode} compiles`)
      const ran = await runCommand(project, process.execPath, `${mode}/${name}.js`)
      t.strictSame(ran, { status: 0, output: says, errors: '' }, `${mode} runs`)
    })
    await Promise.all(runs)
  })
}

const binary24 = join(folder, 'node24/node_modules/node/bin/node')
const skip = existsSync(binary24) ? false : `NOT TESTED ON NODE 24: npm install node@24 gave no binary (status ${node24.status})`
for (const node of [
  { binary: process.execPath, version: process.version, skip: false },
  { binary: binary24, version: 'v24', skip },
]) {
  t.test(`hosts in JavaScript run on Node ${node.version}, be they modules or CommonJS`, { skip: node.skip }, async (t) => {
    const project = join(folder, 'express')
    t.match((await runCommand(project, node.binary, '--version')).output, node.version)
    for (const file of ['express.mjs', 'express.cjs']) {
      copyFileSync(join(FIXTURES, file), join(project, file))
      const { status, output, errors } = await runCommand(project, node.binary, file)
      t.strictSame({ status, output, errors: withoutNotice(errors) }, { status: 0, output: SERVED, errors: '' }, file)
    }
  })
}

t.test('the simulator is a command', async (t) => {
  const { status, output, errors } = await runCommand(join(folder, 'express'), 'npx', 'understudy-simulator', '--help')
  t.equal(status, 0, errors)
  t.match(output, /^Usage: understudy-simulator /)
})

t.test('understudy is a command, and judges a document by a host\'s own module', async (t) => {
  const project = join(folder, 'express')
  writeFileSync(join(project, 'chains.js'), "import { defineRoutes } from '@understudy/express'\nexport const routes = defineRoutes({ chat: ['openai/gpt-4o'] })")
  writeFileSync(join(project, 'chains.json'), JSON.stringify({ version: 1, chain: ['groq/llama'], updated_by: 'ann', reason: 'outage' }))
  const { status, output, errors } = await runCommand(project, 'npx', 'understudy', 'check', 'chains.json', '--config', 'chains.js')
  t.strictSame([status, errors], [0, ''])
  t.equal(output, 'chains.json: version 1 fits chains.js\n  chat: a chain: groq/llama\n')
})
