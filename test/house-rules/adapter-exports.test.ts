import { readFileSync } from 'node:fs'

import t from 'tap'

const LIST = /^export (?:type )?\{(?<names>[^}]*)\} from '(?<from>[^']+)'$/gm

/** What an index says that it exports, of everywhere or of one module; types have no name at run time. */
function exported(text: string, of?: string): string[] {
  const lists = [...text.matchAll(LIST)].filter(({ groups }) => of === undefined || groups?.['from'] === of)
  return lists.flatMap(({ groups }) => groups?.['names']?.split(',') ?? []).map((name) => name.trim()).filter((name) => name !== '').sort()
}

const indexOf = (name: string): string => readFileSync(new URL(`../../packages/${name}/src/index.ts`, import.meta.url), 'utf8')

t.test('an app imports all that hosts use from the adapter that it installed', async (t) => {
  const [forHosts = ''] = indexOf('http').split('// What the adapters stand on')
  t.ok(exported(forHosts).includes('createFallback'))
  for (const name of ['express', 'koa', 'fastify']) {
    t.strictSame(exported(indexOf(name), '@understudy/http'), exported(forHosts), name)
  }
})
