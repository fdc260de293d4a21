// Plays the cases and shows the tables; with ids, only those cases.
import { runAndShow } from '../kit/run-and-show.mjs'

const ids = process.argv.slice(2)
if (ids.length > 0) process.env.CASE_ID = ids.join(',')

runAndShow(['before-commit', 'streams', 'limits', 'requests-and-hosts', 'reload'].map((name) => `test/cases/${name}.test.ts`))
