import { readFileSync } from 'node:fs'

import { documentJsonSchema } from '@understudy/config'
import t from 'tap'

t.test('the schema file for editors is what the zod schema gives', async (t) => {
  const file = new URL('../../chain-document.schema.json', import.meta.url)
  const written: unknown = JSON.parse(readFileSync(file, 'utf8'))
  t.strictSame(written, documentJsonSchema(), 'build, then run node scripts/write-document-schema.mjs')
})
