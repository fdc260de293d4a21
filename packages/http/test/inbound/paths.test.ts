import t from 'tap'

import { readContentPath } from '../../src/inbound/content-path.js'
import { matchPath, SURFACE_PATHS } from '../../src/inbound/paths.js'

const MOUNTED = { atRoot: false, shortPaths: false }

t.test('every row matches, with one trailing slash too', async (t) => {
  for (const row of SURFACE_PATHS) {
    if (row.surface === 'gemini') continue
    t.equal(matchPath(row.method, row.path, MOUNTED), row)
    if (row.path !== '/') t.equal(matchPath(row.method, `${row.path}/`, MOUNTED), row)
    t.equal(matchPath(row.method, `${row.path}//`, MOUNTED), undefined)
  }
})

t.test('HEAD counts as GET; other methods and paths are not ours', async (t) => {
  t.equal(matchPath('HEAD', '/models', MOUNTED)?.surface, 'models')
  for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT', 'post', '']) t.equal(matchPath(method, '/', MOUNTED), undefined, method)
  for (const path of ['', '//', '/x', '/Completions', '/v1', '/v1/completions', '/constructor', '/%63ompletions']) {
    t.equal(matchPath('POST', path, MOUNTED), undefined, path)
  }
  t.equal(matchPath('POST', '/models', MOUNTED), undefined)
})

t.test('the model of a Gemini path may hold anything', async (t) => {
  const table: readonly (readonly [path: string, model: string | undefined, stream?: boolean])[] = [
    ['/v1beta/models/chat:generateContent', 'chat', false],
    ['/v1beta/models/chat:streamGenerateContent', 'chat', true],
    ['/v1beta/models/chat:streamGenerateContent/', 'chat', true],
    ['/v1beta/models/openai/gpt-4.1:generateContent', 'openai/gpt-4.1', false],
    ['/v1beta/models/openai%2Fgpt%3A4:generateContent', 'openai/gpt:4', false],
    ['/v1beta/models/a:b:generateContent', 'a:b', false],
    ['/v1beta/models/%zz:generateContent', '%zz', false],
    ['/v1beta/models/:generateContent', undefined],
    ['/v1beta/models/chat:countTokens', undefined],
    ['/v1beta/models/chat', undefined],
    ['/v1/models/chat:generateContent', undefined],
  ]
  for (const [path, model, stream] of table) {
    t.strictSame(readContentPath(path), model === undefined ? undefined : { model, stream }, path)
    t.equal(matchPath('POST', path, { atRoot: true, shortPaths: false })?.surface, model === undefined ? undefined : 'gemini', path)
    t.equal(matchPath('GET', path, MOUNTED), undefined)
  }
})

t.test('at the root the short paths are the host\'s, unless it gives them away', async (t) => {
  const short = SURFACE_PATHS.filter((row) => matchPath(row.method, row.path, { atRoot: true, shortPaths: false }) === undefined)
  t.strictSame(short.map(({ method, path }) => `${method} ${path}`), ['POST /', 'POST /completions', 'POST /messages', 'POST /responses', 'POST /embeddings', 'POST /policy-check', 'GET /models'])
  for (const row of short) t.equal(matchPath(row.method, row.path, { atRoot: true, shortPaths: true }), row)
})
