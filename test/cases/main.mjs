// Plays the cases and shows the tables; with ids, only those cases.
import { readFileSync } from 'node:fs'
import { runAndShow } from '../kit/run-and-show.mjs'

const ids = process.argv.slice(2)
const lines = readFileSync(new URL('cases.jsonl', import.meta.url), 'utf8').trimEnd().split('\n')
const known = new Set(lines.map((line) => JSON.parse(line).id))
const unknown = ids.filter((id) => !known.has(id))
if (unknown.length > 0) {
  console.error(`cases: there is no ${unknown.join(', ')}; the ids stand in test/cases/cases.jsonl, as in: npm run cases -- B063 B104`)
  process.exit(1)
}
if (ids.length > 0) process.env.CASE_ID = ids.join(',')

runAndShow(['before-commit', 'streams', 'limits', 'requests-and-hosts', 'reload'].map((name) => `test/cases/${name}.test.ts`))
