import t, { type Test } from 'tap'
import { callCli } from '../call-cli.js'

const MODULE = `
export const routes = {
  chat: ['openai/gpt-4o', { provider: 'eu', model: 'large' }],
  support: { presets: { normal: ['anthropic/claude-sonnet-4-5'], local_only: { legs: ['ollama/qwen3'], marking: 'local model' } } },
}
export const options = {
  providers: { eu: { dialect: 'openai', baseURL: 'https://eu.example/v1', apiKey: process.env.NO_SUCH_KEY }, us: { dialect: 'openai', baseURL: 'https://us.example', apiKey: { env: 'US_KEY' } } },
}
`
const MARKS = { version: 8, updated_by: 'ann', reason: 'r' }
const FITS = {
  ...MARKS,
  routes: {
    chat: { chain: ['us/small', 'azure/gpt-4o', 'bedrock/nova', 'vertex/gemini-2.5-pro'] },
    support: { active: 'local_only', expires_at: '2000-01-01T00:00:00Z' },
  },
}

const folderOf = (t: Test) => t.testdir({
  'chains.mjs': MODULE,
  'default.mjs': `export default { routes: { chat: ['openai/gpt-4o'] } }`,
  'commonjs.cjs': `module.exports = { routes: { chat: ['openai/gpt-4o'] } }`,
  'wrong.mjs': `export const routes = { chat: ['opnai/gpt-4o'] }`,
  'none.mjs': 'export const chains = {}',
  'throws.mjs': `throw new Error('no database')`,
  'fits.json': JSON.stringify(FITS),
  'short.json': JSON.stringify({ ...MARKS, chain: ['openai/gpt-4o'] }),
  'misfit.json': JSON.stringify({
    ...MARKS,
    routes: { chta: { chain: ['openai/gpt-4o'] }, chat: { chain: ['opnai/gpt-4o', 'eu/large', 'eu/large'] }, support: { active: 'localonly' } },
  }),
  'shapeless.json': JSON.stringify({ version: '8', routes: { chat: { chain: [] } }, updated_by: '' }),
  'broken.json': '{\n  "version": 8,\n  oops\n}',
  'comma.json': '{\n  "chain": [\n    "openai/gpt-4o",\n  ]\n}',
  'list.json': '[]',
  'bom.json': `\uFEFF${JSON.stringify(FITS)}`,
})

t.test('a document that fits its config is fine, on a machine that has no credentials', async (t) => {
  const cwd = folderOf(t)
  t.strictSame(await callCli(['check', 'fits.json', '--config', 'chains.mjs'], { cwd }), {
    code: 0,
    out: `fits.json: version 8 fits chains.mjs
  chat: a chain: us/small, azure/gpt-4o, bedrock/nova, vertex/gemini-2.5-pro
  support: preset 'local_only' that ended ${(await callCli(['check', 'fits.json', '--config', 'chains.mjs'], { cwd })).out.match(/\d+d(?: \d+h)?/)?.[0]} ago, so it applies as 'normal': ollama/qwen3
`,
    err: '',
  })
  t.match(await callCli(['check', 'bom.json', '--config', 'chains.mjs'], { cwd }), { code: 0 })
  t.match(await callCli(['check', '-', '--config', `${cwd}/chains.mjs`], { input: JSON.stringify(FITS) }), { code: 0, out: /^-: version 8 fits / })
  for (const config of ['default.mjs', 'commonjs.cjs']) t.match(await callCli(['check', 'short.json', '--config', config], { cwd }), { code: 0 }, config)
})

t.test('one that would be refused ends with 1, and every issue has its path', async (t) => {
  const cwd = folderOf(t)
  const { code, out, err } = await callCli(['check', 'misfit.json', '--config', 'chains.mjs'], { cwd })
  t.strictSame([code, err], [1, ''])
  t.equal(out, `misfit.json would be refused: 4 issues
  document.routes.chta: no route is called so; did you mean 'chat'?
  document.routes.chat.chain[0]: provider 'opnai' is not registered in the code; did you mean 'openai'?
  document.routes.chat.chain[2]: is a repeated leg: it stands at position 1 already
  document.routes.support.active: no preset is called 'localonly'; did you mean 'local_only'?
`)
  const json = JSON.parse((await callCli(['check', 'misfit.json', '--config', 'chains.mjs', '--json'], { cwd })).out)
  t.match(json, { ok: false, file: 'misfit.json', judged_by: 'chains.mjs', wrong: 'document', issues: [{ path: 'document.routes.chta' }, {}, {}, {}] })
  t.strictSame(JSON.parse((await callCli(['check', 'fits.json', '--config', 'chains.mjs', '--json'], { cwd })).out), {
    ok: true, file: 'fits.json', judged_by: 'chains.mjs', version: 8, routes: ['chat', 'support'], wrong: null, issues: [],
  })
})

t.test('what is no document is told apart, with the place where it stops being JSON', async (t) => {
  const cwd = folderOf(t)
  const rows: [string, string][] = [
    ['broken.json', '  document: is no JSON (line 3, column 3)\n'],
    ['comma.json', '  document: is no JSON (line 4, column 3)\n'],
    ['list.json', '  document: is an empty list; it must be a JSON object\n'],
  ]
  for (const [file, issue] of rows) {
    t.strictSame(await callCli(['check', file, '--config', 'chains.mjs'], { cwd }), { code: 1, out: `${file} would be refused: 1 issue\n${issue}`, err: '' })
    t.match(await callCli(['check', file], { cwd }), { code: 1, out: issue })
  }
})

t.test('without a config the shape alone is judged, and it says so', async (t) => {
  const cwd = folderOf(t)
  const { code, out, err } = await callCli(['check', 'misfit.json'], { cwd })
  t.strictSame([code, out], [1, 'misfit.json would be refused: 1 issue\n  document.routes.chat.chain[2]: is a repeated leg: it stands at position 1 already\n'])
  t.equal(err, '')
  const fits = await callCli(['check', 'fits.json'], { cwd })
  t.match(fits, { code: 0, out: /^fits\.json: version 8 has the right shape\n {2}chat: a chain\n {2}support: preset 'local_only' that ended / })
  t.equal(fits.err, 'routes, presets, providers and legs were not looked at: give --config <module>\n')
  t.match(await callCli(['check', 'short.json'], { cwd }), { code: 0 })
  const unnamed = { ...MARKS, routes: { '': { chain: ['a/b'] } } }
  t.match(await callCli(['check', '-'], { input: JSON.stringify(unnamed) }), { code: 1, out: /^- would be refused: 1 issue\n/ })
  const shapeless = await callCli(['check', 'shapeless.json'], { cwd })
  t.equal(shapeless.code, 1)
  for (const path of ['version', 'updated_by', 'reason', 'routes.chat.chain']) t.match(shapeless.out, `  document.${path}: `)
})

t.test('until when a preset would run is said, whoever says the time', async (t) => {
  const cwd = folderOf(t)
  const line = async (more: object, entry: object = {}) => {
    const input = JSON.stringify({ ...MARKS, ...more, routes: { support: { active: 'local_only', ...entry } } })
    return (await callCli(['check', '-', '--config', 'chains.mjs'], { cwd, input })).out.split('\n')[1] ?? ''
  }
  t.equal(await line({}), "  support: preset 'local_only' for 4h from its first application, then 'normal', which expires_at can change: ollama/qwen3")
  const now = Date.now()
  const until = new Date(now + 3 * 3_600_000).toISOString()
  t.match(await line({ updated_at: new Date(now - 3_600_000).toISOString() }), new RegExp(`until ${until} \\((?:3h|2h 59m) more\\), then 'normal', which expires_at can change:`))
  t.match(await line({}, { expires_at: '2090-01-31T02:00:00Z' }), /until 2090-01-31T02:00:00\.000Z \(\d+d.* more\), then 'normal': ollama/)
})

t.test('a config that is wrong is told apart from a document that is', async (t) => {
  const cwd = folderOf(t)
  const wrong = await callCli(['check', 'short.json', '--config', 'wrong.mjs'], { cwd })
  t.equal(wrong.code, 1)
  t.match(wrong.out, /^wrong\.mjs cannot be used: 1 issue\n {2}routes\.chat.*'opnai' is not known; did you mean 'openai'\?/)
  const rows: [string[], string][] = [
    [['short.json', '--config', 'none.mjs'], "'none.mjs' exports no routes (it exports chains); it must export routes"],
    [['short.json', '--config', 'throws.mjs'], "'throws.mjs' cannot be loaded: no database"],
    [['short.json', '--config', 'absent.mjs'], "'absent.mjs' cannot be loaded: Cannot find module"],
    [['absent.json'], "'absent.json' cannot be read: there is no such file"],
    [['.'], "'.' cannot be read: EISDIR"],
    [[], 'check needs <file>; <file> is missing'],
  ]
  for (const [args, message] of rows) {
    const { code, out, err } = await callCli(['check', ...args], { cwd })
    t.strictSame([code, out, err.slice(12, 12 + message.length)], [2, '', message])
  }
})
