import t from 'tap'

import { normalisePrefix, pathUnder } from '../../src/inbound/prefix.js'

t.test('a prefix has one slash in front and none behind', async (t) => {
  const cases = { '/chat': '/chat', '/chat/': '/chat', chat: '/chat', '/a/b/': '/a/b', '/': '', '': '' }
  for (const [written, normal] of Object.entries(cases)) t.equal(normalisePrefix(written), normal, written)
  t.equal(normalisePrefix(undefined), '')
})

t.test('what is no plain path is refused with the right call', async (t) => {
  for (const written of [7, null, ['/chat'], '/chat?x', '/chat#x', '/:id', '/chat/*', '//chat', '/ch at', '/chat\r\n']) {
    t.throws(() => normalisePrefix(written), { code: 'ERR_UNDERSTUDY_CONFIG', message: /prefix: received .*\{ prefix: '\/chat' \}/ })
  }
})

t.test('a path is under a prefix by whole segments', async (t) => {
  t.equal(pathUnder('/chat', '/chat'), '/')
  t.equal(pathUnder('/chat', '/chat/'), '/')
  t.equal(pathUnder('/chat', '/chat/v1/models'), '/v1/models')
  t.equal(pathUnder('/chat', '/chatty'), undefined)
  t.equal(pathUnder('/chat', '/'), undefined)
  t.equal(pathUnder('', '/v1/models'), '/v1/models')
  t.equal(pathUnder('', '/'), '/')
})
