import { closedLoop, dense } from './scenarios.mjs'

/** What can be on or off, each alone and then all, against none. */
export const features = ['none', 'report', 'trail', 'logger', 'listener', 'health', 'live', 'all']

export const featureLoads = [
  {
    title: 'JSON 1 KB, us/request',
    measure: async (bench, target) => (await closedLoop(bench, target, { legs: ['json-1k', 'json-1k'] })).perRequestUs,
  },
  {
    title: 'first leg 500, us/request',
    measure: async (bench, target) => (await closedLoop(bench, target, { legs: ['error-500', 'json-1k'] })).perRequestUs,
  },
  { title: 'dense, us/event', measure: async (bench, target) => (await dense(bench, target)).dense },
]
