import { closedLoop, dense } from './scenarios.mjs'
import { EVENTS_OF_A_BURST } from './load/answers.mjs'
import { targets } from './targets.mjs'

const named = (name) => targets.find((target) => target.name === name)

/** Understudy on node:http, or the AI SDK in an Express route, with legs that speak a dialect. */
const ours = (dialect, label) => ({ name: `ours ${dialect}`, file: 'targets/dialect.mjs', args: [dialect], dialect, label: `Understudy, ${label}` })
const sdk = (dialect, label) => ({ ...named('ai-sdk'), name: `ai-sdk ${dialect}`, args: [dialect], dialect, label: `Vercel AI SDK in an Express route, ${label}` })

/** A client of OpenAI's format in front of legs of the same dialect and of others, in one run. */
export const dialectTargets = [
  { ...named('raw'), dialect: 'openai' },
  ours('openai', 'OpenAI leg'),
  ours('anthropic', 'Anthropic leg'),
  ours('gemini', 'Gemini leg'),
  sdk('openai', 'OpenAI-compatible leg'),
  sdk('anthropic', 'Anthropic leg'),
  sdk('gemini', 'Gemini leg'),
]

/** How the upstream's answers of a dialect are called. */
const answerOf = (dialect, kind) => (dialect === 'openai' ? kind : `${dialect} ${kind}`)
const legsOf = ({ dialect }, kind) => [answerOf(dialect, kind), answerOf(dialect, kind)]

export const dialectLoads = [
  {
    title: 'JSON 1 KB, us/request',
    measure: async (bench, target) => (await closedLoop(bench, target, { legs: legsOf(target, 'json-1k') })).perRequestUs,
  },
  {
    title: 'burst, us/event',
    measure: async (bench, target) => {
      const { perRequestUs } = await closedLoop(bench, target, { legs: legsOf(target, 'burst'), stream: true, connections: 16 })
      return perRequestUs / EVENTS_OF_A_BURST
    },
  },
  {
    title: 'dense, us/event',
    measure: async (bench, target) => (await dense(bench, target, { legs: legsOf(target, 'held') })).dense,
  },
  {
    title: 'first token p50, ms',
    measure: async (bench, target) => {
      const options = { legs: legsOf(target, 'first-token'), stream: true, connections: 1, ms: bench.plan.tokenMs }
      return (await closedLoop(bench, target, options)).tokenP50Us / 1000
    },
  },
]

/** What a translated stream may cost, to raw. */
export const dialectBudgets = [
  { target: 'ours anthropic', title: 'burst, us/event', limit: 1.7 },
  { target: 'ours anthropic', title: 'dense, us/event', limit: 1.15 },
]
