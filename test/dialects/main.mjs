// Plays the clients of other libraries over legs of every dialect and shows the matrix.
import { runAndShow } from '../kit/run-and-show.mjs'

runAndShow(['ai-sdk', 'langchain'].map((name) => `test/dialects/${name}.test.ts`))
