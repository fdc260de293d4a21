import { readFileSync } from 'node:fs'

import t from 'tap'

const LIST = /^export (?:type )?\{(?<names>[^}]*)\} from '(?<from>[^']+)'$/gm

/** What an index says that it exports, of everywhere or of one module; types have no name at run time. */
function exported(text: string, of?: string): string[] {
  const lists = [...text.matchAll(LIST)].filter(({ groups }) => of === undefined || groups?.['from'] === of)
  return lists.flatMap(({ groups }) => groups?.['names']?.split(',') ?? []).map((name) => name.trim()).filter((name) => name !== '').sort()
}

const indexOf = (name: string): string => readFileSync(new URL(`../../packages/${name}/src/index.ts`, import.meta.url), 'utf8')

t.test('an app imports the same from each adapter, and all of it is of the package that adapters stand on', async (t) => {
  const [forHosts = ''] = indexOf('http').split('// What the adapters stand on')
  const [of = [], ...others] = ['express', 'koa', 'fastify'].map((name) => exported(indexOf(name), '@understudy/http'))
  t.ok(of.includes('createFallback'))
  for (const other of others) t.strictSame(other, of)
  const known = exported(forHosts)
  t.strictSame(of.filter((name) => !known.includes(name)), [])
})
