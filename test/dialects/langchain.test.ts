import t from 'tap'
import { LANGCHAIN_CLIENTS } from './langchain-clients.js'
import { playMatrix } from './sdk-matrix.js'

// A busy machine takes its time.
t.setTimeout(300_000)
await playMatrix('LangChain', LANGCHAIN_CLIENTS)
