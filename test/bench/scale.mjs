import { SIZED_BURSTS } from './load/answers.mjs'
import { closedLoop, dense } from './scenarios.mjs'

const JSON_LEGS = ['json-1k', 'json-1k']

const perRequest = async (bench, target, options) => (await closedLoop(bench, target, options)).perRequestUs

/**
 * What is made larger, a row each. `points` = the sizes; `variant` = what a target of that size is told, where it is another
 * target and not another load; `rawToo`: whether the plain pass-through grows with it.
 */
export const scales = [
  {
    title: 'open streams, us/event at 10 000 events a second',
    points: [20, 200, 2000],
    rawToo: true,
    measure: async (bench, target, streams) => (await dense(bench, target, { streams })).dense,
  },
  {
    title: 'legs in the chain, the first serves, us/request',
    points: [1, 10, 100],
    variant: 'legs',
    measure: (bench, target) => perRequest(bench, target, { legs: JSON_LEGS }),
  },
  {
    title: 'legs that answer 500 before one serves, us/request',
    points: [1, 4, 12],
    variant: 'failing',
    measure: (bench, target) => perRequest(bench, target, { legs: ['error-500', 'json-1k'] }),
  },
  {
    title: 'routes, us/request',
    points: [1, 10, 100, 1000],
    variant: 'routes',
    measure: (bench, target) => perRequest(bench, target, { legs: JSON_LEGS }),
  },
  {
    title: 'bytes an event in a burst, us/event',
    points: [...SIZED_BURSTS.keys()],
    rawToo: true,
    measure: async (bench, target, size) => {
      const legs = [`burst-${size}`, `burst-${size}`]
      return await perRequest(bench, target, { legs, stream: true, connections: 4 }) / SIZED_BURSTS.get(size)
    },
  },
]
