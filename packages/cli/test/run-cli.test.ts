import t from 'tap'
import { COMMANDS } from '../src/commands.js'
import { callCli } from './call-cli.js'
import { startAdminServer } from './admin-server.js'

t.test('what a refusal says in its message is not said again', async (t) => {
  const error = { code: 'invalid_request', message: 'the body is odd: for_ms is 7', issues: [{ path: 'for_ms', message: 'is 7' }, { path: 'more', message: 'is odd too' }] }
  const admin = await startAdminServer(t, { 'POST /unpin': [400, { error }] })
  t.equal((await callCli(['unpin', 'chat', '--reason', 'r'], { url: admin.url })).err, 'understudy: the body is odd: for_ms is 7\n  more: is odd too\n')
})

t.test('says what it can do, and ends with 0 if it was asked', async (t) => {
  for (const args of [['--help'], ['-h'], ['help']]) {
    const { code, out, err } = await callCli(args)
    t.strictSame([code, err], [0, ''])
    for (const { name } of COMMANDS) t.match(out, `\n  ${name} `)
    t.match(out, /\n {2}4 +somebody was quicker/)
  }
  const { code, out } = await callCli([])
  t.equal(code, 2, 'nothing was said that could be done')
  t.match(out, /^Usage: understudy <command>/)
})

t.test('each command explains itself, whatever else is written', async (t) => {
  for (const { name, options } of COMMANDS) {
    const { code, out, err } = await callCli([name, '--odd', '--help'])
    t.strictSame([code, err], [0, ''], name)
    t.match(out, new RegExp(`^Usage: understudy ${name}`))
    for (const option of options) t.match(out, `  --${option.name}`)
    t.equal((await callCli(['help', name])).out, out)
  }
})

t.test('says its version', async (t) => {
  t.match(await callCli(['--version']), { code: 0, out: /^\d+\.\d+\.\d+\n$/, err: '' })
})

t.test('a call that is wrong ends with 2, and says what came and what would be right', async (t) => {
  const url = 'http://127.0.0.1:1/admin'
  const rows: [string[], string][] = [
    [['statsu'], "there is no command 'statsu'; did you mean 'status'?"],
    [['xyzzyx'], "there is no command 'xyzzyx'; it must be one of status, pin, unpin"],
    [['--url', 'x', 'status'], 'the command comes first, as in understudy status --url ...'],
    [['--url=http://x', 'status'], 'the command comes first, as in understudy status --url ...'],
    [['status', '--jsno'], "there is no option --jsno here; did you mean '--json'?"],
    [['status', 'chat'], "status takes nothing; 'chat' is too much"],
    [['pin', 'chat'], 'pin needs <route> <preset>; <preset> is missing'],
    [['pin', 'chat', 'x', 'y', '--reason', 'r'], "pin takes <route> <preset>; 'y' is too much (a text with spaces needs quotes)"],
    [['pin', 'chat', 'x'], "--reason is missing: say why, it stands in the history: --reason 'answers got worse'"],
    [['pin', 'chat', 'x', '--reason', ' '], '--reason is missing'],
    [['pin', 'chat', 'x', '--reason'], '--reason needs a value: --reason <text>'],
    [['pin', 'chat', 'x', '--reason', '--for', '2h'], '--reason needs a value: --reason <text>, or --reason=<...> if it begins with a dash'],
    [['pin', 'chat', 'x', '--reason', 'r', '--reason', 's'], '--reason is given twice'],
    [['pin', 'chat', 'x', '--reason', 'r', '--for', '45'], "--for: '45' has no unit; write 90s, 45m, 2h or 1h30m"],
    [['pin', 'chat', 'x', '--reason', 'r', '--for', '8d'], '--for is over 7 days'],
    [['pin', 'chat', 'x', '--reason', 'r', '--expect', 'x'], "--expect is 'x'; it must be a whole number from 1"],
    [['pin', 'chat', 'x', '--reason', 'r', '--json=yes'], '--json takes no value'],
    [['restore', 'last', '--reason', 'r'], "<version> is 'last'; it must be a whole number from 1"],
    [['history', 'chat', '--limit', '0'], "--limit is '0'; it must be a whole number from 1"],
    [['status', '--timeout', 'x'], "--timeout: 'x' is no duration"],
    [['status', '--url', 'nowhere'], '--url is not an http:// or https:// URL such as http://127.0.0.1:3000/understudy'],
    [['status', '--url', 'http://ann:hunter2@h/'], '--url holds credentials; give them as --header'],
    [['status', '--header', 'novalue'], "--header has no name in front of a colon; write --header 'name: value'"],
    [['status', '--header', 'a: b', '--header', 'x-key:'], "--header 2 of 2: 'x-key' has no value that a header can have"],
    [['status', '--header', 'x-key: a\u0001b'], "--header: 'x-key' has no value that a header can have"],
    [['drill', 'chat'], '--fault is missing: it is one of fail, cut, stall, corrupt'],
    [['drill', 'chat', '--fault', 'sutt'], "--fault: there is no 'sutt'; did you mean 'cut'?"],
    [['drill', 'chat', '--fault', 'cut'], 'say which requests: --share 5%, or --signed, and not both'],
    [['drill', 'chat', '--fault', 'cut', '--signed', '--share', '5%'], 'say which requests: --share 5%, or --signed, and not both'],
    [['drill', 'chat', '--fault', 'cut', '--share', '500%'], "--share is '500%'; it must be over 0 and at most 100%: 5% or 0.05"],
    [['drill', 'chat', '--fault', 'cut', '--signed'], '--for is missing: a drill ends by itself: --for 15m'],
    [['drill', 'chat', '--fault', 'cut', '--signed', '--for', '5m'], '--max is missing: a drill is bounded in number too: --max 200'],
    [['drill', 'end', '--reason', 'r'], 'drill needs <end> <id>; <id> is missing'],
  ]
  for (const [args, message] of rows) {
    const { code, out, err } = await callCli(args, { url })
    t.strictSame([code, out], [2, ''], args.join(' '))
    t.equal(err.slice(0, 'understudy: '.length + message.length), `understudy: ${message}`)
    t.notMatch(err, 'hunter2')
  }
  t.match((await callCli(['status'])).err, 'there is no address; give --url, or set UNDERSTUDY_ADMIN_URL: http://127.0.0.1:3000/understudy')
  t.match((await callCli(['unpin', 'chat', '--reason', 'r'], { url, user: '' })).err, '--actor is missing, and this machine does not say who you are')
  t.match((await callCli(['pin', 'chat'], { url })).err, /\nUsage: understudy pin <route> <preset> --reason <text> \[--for <time>\]\nunderstudy pin --help says more\n$/)
})

t.test('with --json an error is JSON on the standard output, and nothing is beside it', async (t) => {
  const { code, out, err } = await callCli(['pin', 'chat', '--json'])
  t.strictSame([code, err], [2, ''])
  t.strictSame(JSON.parse(out), { error: { code: 'wrong_use', message: 'pin needs <route> <preset>; <preset> is missing' }, exit_code: 2 })
})

t.test('a token is sent and never shown, whoever repeats it', async (t) => {
  const token = 'canary-token-5e3f'
  const echo = `you said Bearer ${token}, or "${token}"`
  const admin = await startAdminServer(t, {
    'GET /status': [400, { error: { code: 'invalid_request', message: echo, issues: [{ path: token, message: token }] } }],
    'GET /history': [200, { entries: [{ version: 1, outcome: 'applied', at: 1, reason: echo, actor: token }] }],
  })
  const url = `${admin.url}?key=canary-query`
  const rows: [string[], Record<string, string>][] = [
    [['status'], { UNDERSTUDY_ADMIN_TOKEN: `${token}\n` }],
    [['status', '--json'], { UNDERSTUDY_ADMIN_TOKEN: token }],
    [['history'], { UNDERSTUDY_ADMIN_TOKEN: token }],
    [['history', '--json', '--header', `authorization: Bearer ${token}`], {}],
    [['history', '--header', `x-key: ${token}`], {}],
    [['status', '--header', `${token}`], {}],
    [['status', '--header', `authorization: Bearer ${token}\u0001`], {}],
    [['status', '--header', 'authorization:', 'Bearer', 'sk-canary-token-5e3f'], {}],
    [['status', `--token=${token}`], {}],
    [['status'], { UNDERSTUDY_ADMIN_TOKEN: `${token}\u0001` }],
    [['status', '--url', `http://127.0.0.1:1/?key=canary-query`], { UNDERSTUDY_ADMIN_TOKEN: token }],
  ]
  for (const [args, env] of rows) {
    const { out, err } = await callCli(args, { url, env, columns: 100 })
    t.not(out + err, '')
    t.notMatch(out + err, /canary-/, args.join(' '))
  }
  t.strictSame(admin.received.map(({ path, headers }) => [path, headers.authorization ?? headers['x-key']]), [
    ['/status?key=canary-query', `Bearer ${token}`],
    ['/status?key=canary-query', `Bearer ${token}`],
    ['/history?key=canary-query&limit=20', `Bearer ${token}`],
    ['/history?key=canary-query&limit=20', `Bearer ${token}`],
    ['/history?key=canary-query&limit=20', token],
  ])
})
