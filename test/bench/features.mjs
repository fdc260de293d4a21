import { burst, closedLoop, dense, firstToken, json64k, memory } from './scenarios.mjs'

/** What can be on or off, each alone and then all, against none. */
export const features = ['none', 'report', 'trail', 'logger', 'listener', 'health', 'live', 'all']

const MEMORY_STREAMS = 5000

/** `alone`: in a fresh process, after the rounds. */
export const featureLoads = [
  {
    title: 'JSON 1 KB, us/request',
    measure: async (bench, target) => (await closedLoop(bench, target, { legs: ['json-1k', 'json-1k'] })).perRequestUs,
  },
  { title: 'JSON 64 KB, us/request', measure: async (bench, target) => (await json64k(bench, target)).json64k },
  {
    title: 'first leg 500, us/request',
    measure: async (bench, target) => (await closedLoop(bench, target, { legs: ['error-500', 'json-1k'] })).perRequestUs,
  },
  { title: 'burst, us/event', measure: async (bench, target) => (await burst(bench, target)).burst },
  { title: 'dense, us/event', measure: async (bench, target) => (await dense(bench, target)).dense },
  { title: 'first token p50, ms', measure: async (bench, target) => (await firstToken(bench, target)).tokenP50 },
  {
    title: `KB a stream at ${MEMORY_STREAMS}`,
    alone: true,
    measure: async (bench, target) => {
      const plan = { ...bench.plan, openStreams: [MEMORY_STREAMS] }
      return (await memory({ ...bench, plan }, target))[`memory${MEMORY_STREAMS}`]
    },
  },
]
