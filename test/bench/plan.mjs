/**
 * How long and how often. Several short rounds rather than one long one: what else the machine does then hits all targets alike.
 * `outcomes`: whether each target with a second leg is also looked at while leg 1 fails in every way. `memoryOf`: which targets
 * are asked for their memory. On two cores the full run takes twenty minutes, eleven without peers; the quick one about one.
 */
export const plans = {
  full: {
    rounds: 5, warmMs: 500, windowMs: 600, slices: 4, tokenMs: 1200, denseMs: 900, warmRequests: 16_000,
    outcomes: true,
    memoryRounds: 1, openStreams: [1000, 5000], memoryOf: () => true,
  },
  quick: {
    rounds: 1, warmMs: 30, windowMs: 200, slices: 1, tokenMs: 200, denseMs: 400, warmRequests: 400,
    outcomes: false,
    memoryRounds: 1, openStreams: [1000], memoryOf: ({ name, ours }) => name === 'raw' || ours === true,
  },
}
