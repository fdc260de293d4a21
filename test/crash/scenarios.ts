import { HEALTHY_TEXT, type Step } from '@understudy/simulator'
import type { Facts } from './facts.js'

/** Something that must hold, or should. */
export interface Check {
  readonly text: string
  readonly holds: (facts: Facts) => boolean
}

/** One of the faults: what the first leg does, and what is asked of the answer. */
export interface Scenario {
  readonly id: string
  readonly fault: string
  /** Takes so long that the fast profile shortens it, limits and bounds included. */
  readonly slow?: true
  /** What the first leg plays; several forms of one fault are all played, and the worst counts. Times are divided. */
  readonly forms: (divide: (ms: number) => number) => readonly (readonly Step[])[]
  /** What the other leg plays. Default healthy. */
  readonly other?: Step
  /** What a pass is: the whole answer, or the provider's refusal. */
  readonly wants: 'answer' | 'refusal'
  /** Ends by then, or hangs. */
  readonly withinMs: number
  readonly required: readonly Check[]
  readonly advisory: readonly Check[]
  /** Several requests, so far apart. Default one. */
  readonly requests?: { readonly count: number, readonly everyMs: number }
  /** The breaker's own, divided too. Default the product's. */
  readonly recoveryMs?: number
}

const healthy: Step = {}
const words = HEALTHY_TEXT.split(' ')
/** Event 1 is the opener. */
const afterForty = 41
const outageMs = 60_000
const prefillRefusal = 'does not support assistant message prefill'

const atMostCalls = (count: number): Check => ({
  text: `at most ${count} calls`,
  holds: ({ calls }) => calls.length <= count,
})

const callsWithin = (count: number, ms: number): Check => ({
  text: `at most ${count} calls in the first ${ms} ms`,
  holds: ({ calls }) => calls.filter((at) => at < ms).length <= count,
})

const calledAgain: Check = { text: 'the same leg is asked again', holds: ({ calls }) => calls.length >= 2 }
const oneCall: Check = { text: 'one call to that leg', holds: ({ calls }) => calls.length === 1 }
const usageReported: Check = { text: 'usage is reported', holds: ({ answer }) => answer.usageTotal !== undefined }

/** An OpenAI stream, event by event, as the healthy leg sends it. */
function events(upTo = words.length): readonly string[] {
  const event = (delta: object, finish: string | null = null) => {
    const choices = [{ index: 0, delta, finish_reason: finish }]
    return `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices })}\n\n`
  }
  return [
    event({ role: 'assistant', content: '' }),
    ...words.slice(0, upTo).map((word, index) => event({ content: index < words.length - 1 ? `${word} ` : word })),
    ...(upTo < words.length ? [] : [event({}, 'stop')]),
  ]
}

/** A cut object without any output text. */
const cutEvent = 'data: {"id":"c1","choices":[{"index":0,"delta":{\n\n'
const usage = 'data: {"id":"c1","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":60,"total_tokens":69}}\n\n'

export const scenarios: readonly Scenario[] = [
  {
    id: 'S01', fault: 'one 429 with Retry-After: 2, then healthy', wants: 'answer', withinMs: 40_000,
    forms: () => [[{ status: 429, headers: { 'retry-after': '2' } }, healthy]],
    required: [callsWithin(2, 1_500)],
    advisory: [
      calledAgain,
      { text: 'the second call not before 1.8 s', holds: ({ calls }) => (calls[1] ?? 0) >= 1_800 },
    ],
  },
  {
    id: 'S02', fault: 'always 429 without a header', wants: 'answer', withinMs: 40_000,
    forms: () => [[{ status: 429 }]],
    required: [callsWithin(4, 3_000), atMostCalls(6)], advisory: [],
  },
  {
    id: 'S03', fault: 'one 500, then healthy', wants: 'answer', withinMs: 20_000,
    forms: () => [[{ status: 500 }, healthy]], required: [], advisory: [calledAgain],
  },
  {
    id: 'S04', fault: 'always 503', wants: 'answer', withinMs: 40_000,
    forms: () => [[{ status: 503 }]], required: [atMostCalls(6)], advisory: [],
  },
  {
    id: 'S05', fault: 'one reset before any byte, then healthy', wants: 'answer', withinMs: 20_000,
    forms: () => [[{ connect: 'reset_before_headers' }, healthy]], required: [], advisory: [],
  },
  {
    id: 'S06', fault: 'accepts and never answers', slow: true, wants: 'answer', withinMs: 100_000,
    forms: () => [[{ connect: 'accept_stall' }]], required: [],
    advisory: [{ text: 'the silent leg is called once only', holds: ({ calls }) => calls.length === 1 }],
  },
  {
    id: 'S07', fault: 'headers at once, first token after 20 s', slow: true, wants: 'answer', withinMs: 60_000,
    forms: (divide) => [[{ headersFirst: true, firstEventDelayMs: divide(20_000) }]], required: [],
    advisory: [{ text: 'answered within 15 s', holds: ({ tookMs, divide }) => tookMs <= divide(15_000) }],
  },
  {
    id: 'S08', fault: 'dies after 40 of 60 tokens', wants: 'answer', withinMs: 40_000,
    forms: () => [
      [{ fault: { do: 'reset', afterEvents: afterForty } }],
      [{ fault: { do: 'close', afterEvents: afterForty } }],
      [{ fault: { do: 'end', afterEvents: afterForty } }],
    ],
    required: [], advisory: [],
  },
  {
    id: 'S09', fault: 'silent for 30 s after 20 tokens, then closes', slow: true, wants: 'answer', withinMs: 45_000,
    forms: (divide) => [[{
      chunks: [{ text: events(20).join('') }, { text: '', delay_ms: divide(30_000), then: 'end' }],
    }]],
    required: [], advisory: [],
  },
  {
    id: 'S10', fault: 'the tenth event is invalid JSON', wants: 'answer', withinMs: 40_000,
    forms: () => [[{
      chunks: [{
        text: [...events().slice(0, 9), cutEvent, ...events().slice(9), 'data: [DONE]\n\n'].join(''),
      }],
    }]],
    required: [], advisory: [{ text: 'the whole answer arrives', holds: ({ isWhole }) => isWhole }],
  },
  {
    id: 'S11', fault: 'a whole stream without [DONE]', wants: 'answer', withinMs: 8_000,
    forms: () => [
      [{ done: 0 }],
      // The same, and the connection stays open.
      [{ chunks: [{ text: `${events().join('')}${usage}`, then: 'stall' }] }],
    ],
    required: [], advisory: [usageReported],
  },
  {
    id: 'S12', fault: 'always 400 context_length_exceeded', wants: 'answer', withinMs: 20_000,
    forms: () => [[{
      status: 400,
      error: { message: "This model's maximum context length is 8192 tokens.", code: 'context_length_exceeded' },
    }]],
    required: [oneCall], advisory: [],
  },
  {
    id: 'S13', fault: 'always 400 content_policy_violation', wants: 'refusal', withinMs: 40_000,
    forms: () => [[{
      status: 400,
      error: { message: 'Your request was rejected by our safety system.', code: 'content_policy_violation' },
    }]],
    required: [oneCall, {
      text: "an error carries the provider's reason",
      holds: ({ answer, outcome }) => outcome !== 'error' || answer.bodyText.includes('rejected by our safety system'),
    }],
    advisory: [],
  },
  {
    id: 'S14', fault: 'dies after 40 tokens; the other refuses a trailing assistant', wants: 'answer', withinMs: 40_000,
    forms: () => [[{ fault: { do: 'reset', afterEvents: afterForty } }]],
    other: { refuseTrailingAssistant: true },
    required: [{
      text: "the refusal is never the client's error",
      holds: ({ answer }) => !answer.bodyText.includes(prefillRefusal),
    }],
    advisory: [],
  },
  {
    id: 'S15', fault: '503 for 60 s, then healthy; 20 requests, one every 4 s', slow: true, wants: 'answer',
    withinMs: 40_000, requests: { count: 20, everyMs: 4_000 }, recoveryMs: 10_000,
    forms: (divide) => [[{ status: 503, forMs: divide(outageMs) }, healthy]],
    required: [
      { text: 'none hangs', holds: ({ later }) => later.every(({ outcome }) => outcome !== 'hang') },
      {
        text: 'all are answered during the outage',
        holds: ({ outcome, later, divide }) => outcome === 'answer'
          && later.every(({ at, outcome }) => at >= divide(outageMs) || outcome === 'answer'),
      },
      {
        text: 'the leg is used again within 30 s of recovery',
        holds: ({ calls, divide }) => calls.some((at) => at >= divide(outageMs) && at <= divide(outageMs + 30_000)),
      },
    ],
    advisory: [{
      // Three failures with two retries each, and one probe for each ten seconds.
      text: 'at most 15 calls while it is down',
      holds: ({ calls, divide }) => calls.filter((at) => at < divide(outageMs)).length <= 15,
    }],
  },
  {
    id: 'S16', fault: 'always 503, the other leg healthy', wants: 'answer', withinMs: 40_000,
    forms: () => [[{ status: 503 }]],
    required: [atMostCalls(6), {
      text: 'model names the leg that answered',
      holds: ({ models, outcome }) => outcome !== 'answer' || (models.length === 1 && models[0] === 'other-model'),
    }],
    advisory: [usageReported],
  },
]

