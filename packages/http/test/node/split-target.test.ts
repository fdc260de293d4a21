import t from 'tap'

import { splitTarget } from '../../src/node/split-target.js'

t.test('every form of a request target has a path and a query', async (t) => {
  const cases: [string | undefined, string, string][] = [
    ['/chat/v1?a=1&b=%2F?c', '/chat/v1', 'a=1&b=%2F?c'],
    ['/chat?', '/chat', ''],
    ['?a', '/', 'a'],
    ['', '/', ''],
    [undefined, '/', ''],
    ['*', '*', ''],
    ['http://x/chat/v1?a=http://y/z', '/chat/v1', 'a=http://y/z'],
    ['HTTPS://user:secret@[::1]:8080/chat', '/chat', ''],
    ['http://x', '/', ''],
    ['http://x?a', '/', 'a'],
    ['git+ssh://x/y', '/y', ''],
    ['http://', '/', ''],
    ['//x/chat', '//x/chat', ''],
    ['/http://x/chat', '/http://x/chat', ''],
    ['x:443', 'x:443', ''],
    ['/a?http://x/b', '/a', 'http://x/b'],
  ]
  for (const [target, path, query] of cases) t.strictSame(splitTarget(target), { path, query }, target ?? 'none')
})
