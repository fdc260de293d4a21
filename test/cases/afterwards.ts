import type { Case } from './case.js'
import { encodeName } from './check-answer.js'
import type { PlayFacts } from './check-play.js'
import type { FakeLeg } from './fake-legs.js'
import { providerNameOf } from './fallback-input.js'
import type { Host } from './hosts.js'
import { openConnection, sendRaw, type RawRequest } from './raw-client.js'
import { readAnswer, type ReadAnswer } from './read-answer.js'
import { requestOf } from './rounds.js'

const healthyText = 'healed-1 healed-2'
const manyRequests = 20

/** What a play may ask of its host when the rounds are over. */
export function createAfterwards(
  of: Case,
  host: Host,
  legs: readonly FakeLeg[],
): Pick<PlayFacts, 'sendHealthy' | 'sendTwice' | 'countListeners'> {
  const { mountPath = '' } = of.config ?? {}
  const healthy: RawRequest = {
    method: 'POST',
    path: `${mountPath}/v1/chat/completions`,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ model: 'chat', stream: true, messages: [{ role: 'user', content: 'hi' }] })),
  }
  const heal = () => legs.forEach((leg) => leg.heal())
  /** The first leg that can serve must. */
  const expectedLeg = legs.find((leg) => leg.reachable)?.name ?? ''

  return {
    sendHealthy: async () => {
      heal()
      return judge(readAnswer(await sendRaw(host.port, healthy)))
    },
    sendTwice: async () => {
      heal()
      const connection = openConnection(host.port)
      try {
        await connection.send(requestOf(of, 'first-of-two', 0))
        return judge(readAnswer(await connection.send(healthy)))
      } finally {
        connection.close()
      }
    },
    countListeners: async () => {
      const earlier = new Set(host.sockets)
      const connection = openConnection(host.port)
      try {
        await connection.send(healthy)
        const socket = [...host.sockets].find((candidate) => !earlier.has(candidate))
        const names = () => socket?.eventNames() ?? []
        const count = () => names().reduce((sum, name) => sum + (socket?.listenerCount(name) ?? 0), 0)
        const before = count()
        for (let sent = 1; sent < manyRequests; sent += 1) await connection.send(healthy)
        return [before, count()]
      } finally {
        connection.close()
      }
    },
  }

  function judge(answer: ReadAnswer): string | undefined {
    const served = answer.header('understudy-served')
    const isWhole = answer.status === 200 && answer.text === healthyText && answer.doneCount === 1
    const isRight = served?.startsWith(`${encodeName(providerNameOf(of, expectedLeg))}/`) === true
    if (isWhole && isRight) return undefined
    const body = answer.bodyText.slice(0, 300)
    return `the healthy request afterwards got ${answer.status} '${answer.text}' from ${served ?? 'nobody'}: ${body}`
  }
}
