import t from 'tap'
import { serve, TOKEN } from './real-server.js'
import { startBuilt, type Ended } from './run-built.js'

t.test('an incident from the first look to the last, against a real server', async (t) => {
  const url = await serve(t)
  const env = { UNDERSTUDY_ADMIN_URL: url, UNDERSTUDY_ADMIN_TOKEN: TOKEN }
  let shown = ''
  const run = async (...args: readonly string[]): Promise<Ended> => {
    const ended = await startBuilt(args, env).ended
    shown += ended.out + ended.err
    return ended
  }
  const fine = async (...args: readonly string[]): Promise<string> => {
    const { code, err, out } = await run(...args)
    t.strictSame([code, err], [0, ''], args.join(' '))
    return out
  }

  t.match(await fine('status'), /no live document yet, source file[^]*\nchat: preset 'normal' of the code for \d+s\n {2}LEG +LAST SERVED +NOTE\n {2}large\/large +never +unproven\n[^]*other presets: skip_large \(unproven: small\/small\); local_only \(unproven: local\/local, broken\/broken\)\n\nsupport: /)

  const tried = await run('try', 'chat', '--preset', 'local_only')
  t.strictSame([tried.code, tried.err], [1, ''])
  t.match(tried.out, /^ok {6}local\/local +first \d+ ms, whole \d+ ms +'.+'\nfailed {2}broken\/broken +whole \d+ ms +\w+\n1 of 2 legs answered\n$/)

  t.equal(await fine('pin', 'chat', 'local_only', '--for', '45m', '--reason', 'answers got worse', '--actor', 'ann'), "chat runs preset 'local_only' for 45m (version 1, before it 0)\n")
  const pinned = await fine('status')
  t.match(pinned, /^\S+ version 1 of the live document, source file, /)
  t.match(pinned, /\nchat: preset 'local_only' of version 1 for \d+s by ann, back to 'normal' in 45m, marked 'local model': answers got worse\n/)
  t.match(pinned, /\n {2}local\/local +(?:just now|\d+s ago)\n {2}broken\/broken +never/)

  const misspelt = await run('pin', 'chat', 'localonly', '--reason', 'r')
  t.strictSame([misspelt.code, misspelt.out], [1, ''])
  t.match(misspelt.err, /has no preset 'localonly'; it has normal, skip_large, local_only \(did you mean 'local_only'\?\)\n$/)

  const late = await run('unpin', 'chat', '--reason', 'r', '--expect', '0', '--json')
  t.equal(late.code, 4)
  t.match(JSON.parse(late.out), { error: { code: 'version_conflict', actual_version: 1 }, exit_code: 4 })

  t.equal(await fine('revert', 'chat', '--reason', 'large is well again', '--actor', 'ann'), "chat is as it was before its last change (version 2, before it 1)\nchat runs preset 'normal' now: large/large, small/small\n")
  t.equal(await fine('unpin', 'chat', '--reason', 'r'), 'chat was pinned to nothing; nothing was changed (version 2)\n')
  t.equal(await fine('restore', '1', '--reason', 'worse again', '--actor', 'bob'), 'the document of version 1 is live again (version 3, before it 2)\n')
  t.match(await run('restore', '77', '--reason', 'r'), { code: 1, err: /no version 77/ })

  const rows = (await fine('history', 'chat')).split('\n').slice(1, -1).map((line) => line.replace(/(?:just now|\d+s ago)/, 'WHEN').trim().split(/ {2,}/))
  t.strictSame(rows, [
    ['3', 'WHEN', 'applied', 'bob', 'worse again', 'as in code -> preset local_only'],
    ['2', 'WHEN', 'applied', 'ann', 'large is well again', 'preset local_only -> as in code'],
    ['1', 'WHEN', 'applied', 'ann', 'answers got worse', 'as in code -> preset local_only'],
  ])
  t.equal(await fine('history', 'support'), 'no change of support is known\n')

  const bounds = ['--for', '15m', '--max', '20', '--reason', 'game day', '--actor', 'eve']
  const started = await fine('drill', 'chat', '--fault', 'fail', '--share', '100%', ...bounds)
  t.match(started, /^drill-\w+: fail for 100 % of the requests to the first leg of chat, 0 of at most 20 failed, 15m left, by eve: game day\n/)
  const [id = ''] = started.split(':')
  t.match(await fine('status'), `\n${id}: fail for 100 %`)
  t.match(await fine('drill', 'list'), started.split('\n')[0])
  t.equal(await fine('drill', 'end', id, '--reason', 'seen enough', '--actor', 'eve'), `${id} is over\n`)
  t.match(await fine('drill', 'list'), new RegExp(`^${id}: .* over (?:just now|\\d+s ago) \\(ended\\), by eve`))
  t.match(await run('drill', 'end', id, '--reason', 'r'), { code: 1 })

  t.match(JSON.parse(await fine('status', '--json')), { routes: [{ name: 'chat', chain: { version: 3 } }, { name: 'support' }] })
  t.notMatch(shown, TOKEN)

  const [stranger, elsewhere] = await Promise.all([
    startBuilt(['status'], { UNDERSTUDY_ADMIN_URL: url }).ended,
    startBuilt(['status'], { UNDERSTUDY_ADMIN_URL: `${url}/elsewhere`, UNDERSTUDY_ADMIN_TOKEN: TOKEN }).ended,
  ])
  t.match(stranger, { code: 5, out: '', err: /give --header, or set UNDERSTUDY_ADMIN_TOKEN\n$/ })
  t.match(elsewhere, { code: 3, out: '', err: /is it where adminMiddleware is mounted\?\n$/ })
})
