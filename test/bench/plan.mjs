/**
 * How long and how often. Many short rounds rather than few long ones: what else the machine does then hits all targets alike.
 * The full run takes many minutes on two cores that do nothing else, the quick one of a few targets under one.
 */
export const plans = {
  full: {
    rounds: 7, memoryRounds: 1, warmMs: 80, windowMs: 350, tokenMs: 600, denseMs: 800, warmRequests: 2500, openStreams: [1000, 5000],
  },
  quick: {
    rounds: 1, memoryRounds: 1, warmMs: 30, windowMs: 200, tokenMs: 250, denseMs: 400, warmRequests: 1000, openStreams: [1000],
  },
}
