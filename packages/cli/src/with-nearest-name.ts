import { suggestName } from '@understudy/config'
import { z } from 'zod'
import type { AdminClient } from './admin-client.js'
import { CliError } from './cli-error.js'

/** The names that somebody wrote. */
export interface WrittenNames {
  readonly route?: unknown
  readonly preset?: unknown
}

const names = z.looseObject({
  routes: z.array(z.looseObject({ name: z.string(), chain: z.looseObject({ presets: z.array(z.string()).optional() }) })),
})

/** Does it, and where the server knows no such route or preset, says which one was probably meant. */
export async function withNearestName<Value>(client: AdminClient, work: () => Promise<Value>, written: WrittenNames): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    const { route, preset } = written
    const { code } = error.options
    const isRoute = code === 'unknown_route' && typeof route === 'string'
    const isPreset = code === 'unknown_preset' && typeof route === 'string' && typeof preset === 'string'
    if (!isRoute && !isPreset) throw error
    const suggestion = await nearest(client, route, isPreset ? preset : undefined)
    throw suggestion === undefined ? error : new CliError(error.exitCode, `${error.message} (${suggestion})`, error.options)
  }
}

async function nearest(client: AdminClient, route: string, preset: string | undefined): Promise<string | undefined> {
  // The error that there is already matters more than one in looking for a better one.
  const status = await client.get('/status').catch(() => undefined)
  const read = names.safeParse(status?.value, { jitless: true })
  if (!read.success) return undefined
  const { routes } = read.data
  const known = preset === undefined ? routes.map(({ name }) => name) : (routes.find(({ name }) => name === route)?.chain.presets ?? [])
  const name = preset ?? route
  // It is there, and cannot be used for this: the error says why.
  if (known.includes(name)) return undefined
  const suggestion = suggestName(name, known)
  return suggestion.startsWith('did you mean') ? suggestion : undefined
}

/** The routes that a server has, if none of them is called so; `undefined` = one is, or it does not say. */
export async function unknownRoute(client: AdminClient, route: string): Promise<readonly string[] | undefined> {
  const read = names.safeParse((await client.get('/status')).value, { jitless: true })
  const known = read.data?.routes.map(({ name }) => name)
  return known?.includes(route) === true ? undefined : known
}
