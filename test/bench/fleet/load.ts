import { setTimeout as sleep } from 'node:timers/promises'

const PAUSE_MS = 40
const ANSWER_MS = 10_000

/** One request that is over. */
export interface Answered {
  readonly member: number
  /** When it was over. */
  readonly at: number
  /** The provider that served; `undefined` = the request is lost. */
  readonly provider: string | undefined
}

/** Requests to each port, one after the other, until it is stopped. */
export interface Load {
  readonly answers: readonly Answered[]
  readonly stop: () => Promise<void>
}

/** Starts to ask. */
export function startLoad(ports: readonly number[]): Load {
  const answers: Answered[] = []
  let running = true

  async function ask(port: number): Promise<string | undefined> {
    try {
      const response = await fetch(`http://127.0.0.1:${port}/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'chat', messages: [{ role: 'user', content: 'Hello' }] }),
        signal: AbortSignal.timeout(ANSWER_MS),
      })
      const body = await response.text()
      return response.status === 200 && body.includes('"finish_reason"') ? response.headers.get('understudy-served')?.split('/')[0] : undefined
    } catch {
      return undefined
    }
  }

  const loops = ports.map(async (port, member) => {
    while (running) {
      const provider = await ask(port)
      answers.push({ member, at: performance.now(), provider })
      await sleep(PAUSE_MS)
    }
  })
  return {
    answers,
    stop: async () => {
      running = false
      await Promise.all(loops)
    },
  }
}
