import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import t from 'tap'

const ROOT = new URL('../..', import.meta.url).pathname
const PACKAGES = readdirSync(join(ROOT, 'packages')).sort()
const ADAPTERS = ['express', 'fastify', 'koa']

/** What each package may import of ours: the arrows of CONTRIBUTING.md. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  core: [],
  sse: [],
  dialects: ['core', 'sse'],
  config: ['core'],
  http: ['config', 'core', 'dialects', 'sse'],
  express: ['http'],
  koa: ['http'],
  fastify: ['http'],
  admin: ['http'],
  simulator: ['http', 'sse'],
  cli: ['config'],
  client: ['core', 'dialects'],
  redis: ['config'],
  postgres: ['config'],
}

/**
 * Declared and not imported: the peer that Express hosts bring, what Fastify's type provider wants beside it, the packages
 * whose clients are handed over, and the clouds' own libraries, which are loaded only where credentials are looked for.
 */
const UNUSED: Readonly<Record<string, readonly string[]>> = {
  admin: ['express'],
  client: ['@anthropic-ai/sdk', '@aws-sdk/client-bedrock-runtime', '@google/genai', 'openai'],
  express: ['express'],
  fastify: ['@fastify/swagger', 'openapi-types', 'zod'],
  http: ['@aws-sdk/credential-provider-node', 'google-auth-library'],
  postgres: ['pg'],
  redis: ['ioredis', 'redis'],
}

/** What is published beside the sources and what is built from them. */
const SHIPPED: Readonly<Record<string, readonly string[]>> = { admin: ['page'], config: ['chain-document.schema.json'], postgres: ['migration.sql'] }

/** Dialects that no client speaks here. */
const PROVIDERS_ONLY = ['bedrock']

/** Packages that run anywhere: no Node in them. */
const PURE = ['core']

interface Manifest {
  readonly [key: string]: unknown
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

function manifest(name: string): Manifest {
  return JSON.parse(readFileSync(join(ROOT, 'packages', name, 'package.json'), 'utf8')) as Manifest
}

function files(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file))
    .sort()
}

function source(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8')
}

function imports(file: string): readonly string[] {
  const found = source(file).matchAll(/^(?:import|export)\s(?:[^'"]*?\sfrom\s)?'([^']+)'/gm)
  return [...found].map(([, specifier = '']) => specifier)
}

/** The package that an import names, without its subpath. */
function packageOf(specifier: string): string {
  return specifier.split('/').slice(0, specifier.startsWith('@') ? 2 : 1).join('/')
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')
}

function codeLines(text: string): number {
  return withoutComments(text).split('\n').filter((line) => line.trim() !== '').length
}

t.test('every package has its place among the arrows', async (t) => {
  t.strictSame(PACKAGES, Object.keys(ARROWS).sort())
})

t.test('CONTRIBUTING.md has every arrow that there is, and no other', async (t) => {
  const written = [...source('CONTRIBUTING.md').matchAll(/`(\w+) <- ([\w, ]+)`/g)]
  const pairs = written.flatMap(([, to = '', from = '']) => from.split(', ').map((name) => `${name} -> ${to}`))
  const all = Object.entries(ARROWS).flatMap(([name, imported]) => imported.map((to) => `${name} -> ${to}`))
  t.strictSame(pairs.sort(), all.sort())
})

for (const name of PACKAGES) {
  t.test(`${name} imports along the arrows, and what it imports is what it declares`, async (t) => {
    const own = manifest(name)
    const declared = new Set([...Object.keys(own.dependencies ?? {}), ...Object.keys(own.peerDependencies ?? {})])
    const used = new Set<string>()
    for (const file of files(`packages/${name}/src`)) {
      for (const specifier of imports(file)) {
        if (specifier.startsWith('.')) {
          t.match(specifier, /\.js$/, `${file}: '${specifier}' ends in .js`)
          continue
        }
        if (specifier.startsWith('node:')) {
          t.notOk(PURE.includes(name), `${file}: no '${specifier}' in ${name}`)
          continue
        }
        const dependency = packageOf(specifier)
        used.add(dependency)
        if (dependency.startsWith('@understudy/')) {
          t.ok(ARROWS[name]?.includes(dependency.slice('@understudy/'.length)), `${file}: ${name} -> ${dependency}`)
        }
      }
    }
    t.strictSame([...declared].filter((dependency) => !used.has(dependency) && !UNUSED[name]?.includes(dependency)), [], 'all is used')
    t.strictSame([...used].filter((dependency) => !declared.has(dependency)), [], 'nothing undeclared is used')
  })

  t.test(`${name} keeps the manifest, the tests and the README that all packages have`, async (t) => {
    const own = manifest(name)
    t.match(own, {
      name: `@understudy/${name}`,
      license: 'MIT',
      type: 'module',
      sideEffects: false,
      engines: { node: '>=20.19' },
      files: ['dist', '!dist/.tsbuildinfo', 'src', ...(SHIPPED[name] ?? [])],
      exports: {
        '.': { '@understudy/source': './src/index.ts', types: './dist/index.d.ts', default: './dist/index.js' },
        './package.json': './package.json',
      },
    })
    const scripts = { build: 'tsc -b', typecheck: 'tsc -b', test: `cd ../.. && tap 'packages/${name}/test/**/*.test.ts'` }
    t.strictSame(own['scripts'], scripts)
    t.equal(own['version'], manifest('core')['version'], 'all packages have one version')
    const siblings = Object.entries(own.dependencies ?? {}).filter(([dependency]) => dependency.startsWith('@understudy/'))
    t.strictSame(siblings.filter(([, range]) => range !== 'workspace:^'), [], 'siblings are workspace:^')
    t.match(readFileSync(join(ROOT, 'packages', name, 'README.md'), 'utf8'), new RegExp(`^# @understudy/${name}\n`))
  })

  t.test(`${name} is written as the house writes`, async (t) => {
    for (const file of files(`packages/${name}/src`)) {
      const text = source(file)
      // eslint-disable-next-line no-control-regex -- the range of ASCII is what is tested
      t.match(text, /^[\x00-\x7f]*$/, `${file} is ASCII`)
      t.notMatch(withoutComments(text), /^export default|export \*|@ts-ignore|\bas any\b|: any\b/m, `${file} gives no type away`)
      t.notMatch(file, /(?:^|\/)(?:utils?|helpers?|common|misc|manager|service)\.ts$/, `${file} has a name that says something`)
    }
    const list = source(`packages/${name}/src/index.ts`)
    t.equal(codeLines(list.replace(/^export [^;]*?from '[^']+'$/gm, '')), 0, 'index.ts is a list and nothing else')
  })
}

for (const name of ADAPTERS) {
  t.test(`the ${name} adapter translates and never decides: at most 60 lines of code`, async (t) => {
    const lines = files(`packages/${name}/src`).reduce((sum, file) => sum + codeLines(source(file)), 0)
    t.ok(lines <= 60, `${lines} lines`)
  })
}

for (const name of ADAPTERS) {
  t.test(`the ${name} adapter of the admin surface translates and never decides: at most 60 lines of code`, async (t) => {
    const lines = codeLines(source(`packages/admin/src/${name}.ts`))
    t.ok(lines <= 60, `${lines} lines`)
  })
}

t.test('every dialect has the same files, and one that no client speaks those of a provider', async (t) => {
  const ofProviders = ['decode-failure.ts', 'decode-response.ts', 'decode-stream.ts', 'encode-request.ts', 'index.ts', 'wire.ts']
  const ofClients = ['decode-request.ts', 'encode-failure.ts', 'encode-response.ts', 'encode-stream.ts']
  const folders = readdirSync(join(ROOT, 'packages/dialects/src'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
  for (const { name } of folders) {
    const present = new Set(readdirSync(join(ROOT, 'packages/dialects/src', name)))
    const required = PROVIDERS_ONLY.includes(name) ? ofProviders : [...ofProviders, ...ofClients]
    t.strictSame(required.filter((file) => !present.has(file)), [], name)
  }
})

t.test('the core looks at no process and makes no request', async (t) => {
  for (const file of files('packages/core/src')) t.notMatch(source(file), /\bprocess\.|\bfetch\(|\brequire\(/, file)
})

t.test('no root script calls a bare pnpm', async (t) => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
  t.strictSame(Object.entries(scripts).filter(([, script]) => /\bpnpm\b/.test(script)), [])
})
