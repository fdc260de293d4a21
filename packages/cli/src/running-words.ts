import type { AdminClient } from './admin-client.js'
import { legName } from './status/leg-cells.js'
import { statusAnswer } from './status/status-answer.js'
import { plainText } from './text-width.js'

/**
 * What a route runs since a version was made live: `chat runs preset 'normal' now: openai/gpt-4o`. `undefined` if the server does not say, or
 * another process answered that has not heard of the version yet: the change is made all the same.
 */
export async function runningWords(client: AdminClient, route: string, version: number): Promise<string | undefined> {
  const status = await client.get('/status').catch(() => undefined)
  const { routes, live } = statusAnswer.safeParse(status?.value, { jitless: true }).data ?? {}
  const found = routes?.find(({ name }) => name === route)
  if (found === undefined || live == null || live.version < version) return undefined
  const { chain: { preset }, legs } = found
  const what = preset == null ? 'the chain' : `preset '${plainText(preset)}'`
  return `${plainText(route)} runs ${what} now: ${legs.map(legName).join(', ')}`
}
