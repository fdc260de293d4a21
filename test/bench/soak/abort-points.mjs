const DAY_MS = 86_400_000
const BIG_EVENT = `data: {"id":"chatcmpl-soak","object":"chat.completion.chunk","created":1757000000,"model":"flood",`
  + `"choices":[{"index":0,"delta":{"content":"${'flood '.repeat(10_000)}"},"logprobs":null,"finish_reason":null}]}\n\n`

/** What the provider plays for the models below. */
export const script = {
  models: {
    broken: [{ status: 500 }],
    silent: [{ connect: 'accept_stall' }],
    tokenless: [{ headersFirst: true, comments: 'before', firstEventDelayMs: DAY_MS }],
    steady: [{ answer: { text: Array.from({ length: 60 }, (_, index) => ` word ${index}`) }, eventDelayMs: 1 }],
    flood: [{ chunks: [{ text: BIG_EVENT, repeat: 400 }], contentType: 'text/event-stream' }],
    short: [{}],
  },
}

/** A route for each point; some go through a leg that fails first. */
export const routes = {
  'while-sending': ['simulator/short'],
  'before-headers': ['simulator/silent', 'simulator/short'],
  'before-first-token': ['simulator/broken', 'simulator/tokenless', 'simulator/short'],
  'mid-stream': ['simulator/broken', 'simulator/steady'],
  'paused-reader': ['simulator/flood'],
  'at-the-end': ['simulator/short'],
}

/**
 * Where a client leaves. Each gets the request it made, `random` (below a number), what the provider is called with, and the
 * server's response; it resolves when it is time to leave.
 */
export const abortPoints = [
  {
    name: 'while-sending',
    sendsHalf: true,
    wait: ({ random, pause }) => pause(random(4)),
  },
  {
    name: 'before-headers',
    wait: async ({ called, random, pause }) => {
      await called
      await pause(random(10))
    },
  },
  {
    name: 'before-first-token',
    wait: async ({ called, random, pause }) => {
      await called
      await pause(random(10))
    },
  },
  {
    name: 'mid-stream',
    wait: async ({ answer, random }) => {
      const events = 1 + random(50)
      await (await answer).sees((text) => text.split('\n\n').length > events)
    },
  },
  {
    name: 'paused-reader',
    wait: async ({ answer, serverWaits }) => {
      ;(await answer).pause()
      return serverWaits()
    },
  },
  {
    name: 'at-the-end',
    wait: async ({ answer, random }) => {
      const mark = random(2) === 0 ? '[DONE]' : '"finish_reason":"stop"'
      await (await answer).sees((text) => text.includes(mark))
    },
  },
]
