import { readdirSync, readFileSync, statSync } from 'node:fs'
import t from 'tap'
import { anthropic, bedrock, encodeFrame, gemini, openai, responses } from '@understudy/dialects'

import { cuttings, replay } from '../../packages/dialects/test/replay.js'
import { createBinaryFrameReader } from '../../packages/http/src/outbound/binary-frame-reader.js'
import { recorded, recordedBytes } from '../kit/recorded.js'

const CODECS = { anthropic, bedrock, gemini, openai, responses }
const FOLDER = new URL('.', import.meta.url)
const FILES = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.includes('/') && statSync(new URL(file, FOLDER)).isFile())
  .sort()

/** The text of the frames in reads. */
function unframed(reads: readonly Uint8Array[]): string {
  const reader = createBinaryFrameReader()
  const events: string[] = []
  for (const bytes of reads) reader.push(Buffer.from(bytes), (frame) => events.push(encodeFrame(frame)))
  return events.join('')
}

t.test('the list names every recording with its page, and nothing else', async (t) => {
  const rows = readFileSync(new URL('README.md', FOLDER), 'utf8').split('\n').filter((line) => line.startsWith('| `'))
  const named = rows.map((row) => row.split(' | '))
  t.strictSame(named.flatMap(([files = '']) => [...files.matchAll(/`([^`]+)`/g)].map(([, file]) => file)).sort(), FILES)
  for (const [files = '', , page] of named) t.match(page, /^https:\/\/[^\s]+ \|$/, files)
})

for (const [dialect, codec] of Object.entries(CODECS)) {
  t.test(`every stream of ${dialect} says the same whole, byte by byte and at random cuts`, async (t) => {
    const files = FILES.filter((file) => file.startsWith(`${dialect}/`))
    t.ok(files.length > 0)
    for (const file of files) {
      const [whole = [], ...cut] = cuttings(recordedBytes(file))
      if (file.endsWith('.bin')) {
        const text = recorded(file.replace('.bin', '.sse'))
        for (const reads of [whole, ...cut]) t.equal(unframed(reads), text, file)
        continue
      }
      const options = { codec, look: false }
      const said = replay(whole, options)
      t.ok(said.parts.length > 0, file)
      for (const reads of cut) t.strictSame(replay(reads, options), said, file)
    }
  })
}
