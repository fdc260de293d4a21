import { Agent } from 'node:http'
import { ask } from '../../kit/http-client.js'

/**
 * What a client got: the whole answer of a provider; a part of it and an error that says so, which is the best that is left once text was
 * sent; or anything else.
 */
export type Outcome = 'first' | 'second' | 'cut' | 'lost'

/** So many requests in flight all the time, every other one streamed, until it is stopped. */
export interface SteadyLoad {
  readonly count: (outcome: Outcome) => number
  /** What the lost ones got. */
  readonly lost: readonly string[]
  /** When the oldest request in flight began. */
  readonly oldest: () => number
  /** Resolves when the last request is over. */
  readonly stop: () => Promise<void>
}

/** Asks the host at `port`; an answer is whole if it holds `ending`, the last words of both providers. */
export function startSteadyLoad(port: number, inFlight: number, ending: string): SteadyLoad {
  const agent = new Agent({ keepAlive: true, maxSockets: inFlight })
  const counts: Record<Outcome, number> = { first: 0, second: 0, cut: 0, lost: 0 }
  const lost: string[] = []
  const begun: number[] = []
  let running = true

  const loops = Array.from({ length: inFlight }, async (_, worker) => {
    for (let turn = worker; running; turn += 1) {
      begun[worker] = performance.now()
      counts[await outcomeOf(turn % 2 === 0)] += 1
    }
    begun[worker] = Infinity
  })

  async function outcomeOf(stream: boolean): Promise<Outcome> {
    const body = JSON.stringify({ model: 'chat', stream, messages: [{ role: 'user', content: 'Hello' }] })
    try {
      const { status, headers, text } = await ask(port, '/chat/completions', { body, agent })
      const provider = String(headers['understudy-served']).split('/')[0]
      const isWhole = text.includes(ending) && text.includes('"finish_reason":"stop"') && text.includes('[DONE]') === stream
      if (status === 200 && isWhole && (provider === 'first' || provider === 'second')) return provider
      if (status === 200 && stream && text.includes('"content":') && text.includes('"error":')) return 'cut'
      lost.push(`${status} ${text.slice(0, 200)}`)
    } catch (error) {
      lost.push(String(error))
    }
    return 'lost'
  }

  return {
    count: (outcome) => counts[outcome],
    lost,
    oldest: () => Math.min(...begun),
    stop: async () => {
      running = false
      await Promise.all(loops)
      agent.destroy()
    },
  }
}
