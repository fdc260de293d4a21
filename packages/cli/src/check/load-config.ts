import type { FallbackOptions, RoutesInput } from '@understudy/config'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CliError } from '../cli-error.js'
import { EXIT } from '../exit-code.js'

/** What a module says of its chains. */
export interface LoadedConfig {
  readonly routes: RoutesInput
  readonly options: FallbackOptions | undefined
}

const RIGHT = 'it must export routes, and options if it has any: export const routes = { chat: [...] }'

/** Runs a module and takes `routes` and `options` from what it exports, by name or in its default. */
export async function loadConfig(path: string, cwd: string): Promise<LoadedConfig> {
  const exported = await load(path, cwd)
  const members = [exported, inside(exported, 'default'), inside(inside(exported, 'default'), 'default')].find((one) => hasRoutes(one))
  if (!hasRoutes(members)) {
    const names = typeof exported === 'object' && exported !== null ? Object.keys(exported).filter((name) => name !== 'default') : []
    const near = names.length === 0 ? 'it exports nothing by name' : `it exports ${names.join(', ')}`
    throw wrong(`'${path}' exports no routes (${near}); ${RIGHT}`)
  }
  const { routes, options } = members
  return { routes, options }
}

async function load(path: string, cwd: string): Promise<unknown> {
  try {
    return await import(pathToFileURL(resolve(cwd, path)).href)
  } catch (error) {
    const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined
    if (code === 'ERR_UNKNOWN_FILE_EXTENSION') {
      throw wrong(`'${path}' cannot be read by this Node (${process.version}); give what is built of it, or run a Node that reads TypeScript (22.18 or later)`)
    }
    const message = error instanceof Error ? error.message : 'it threw something that is no error'
    throw wrong(`'${path}' cannot be loaded: ${message.split('\n')[0] ?? ''}`)
  }
}

function inside(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

/** What they hold is judged where they are resolved, with a message for each thing that is wrong. */
function hasRoutes(value: unknown): value is LoadedConfig {
  return inside(value, 'routes') !== undefined
}

function wrong(message: string): CliError {
  return new CliError(EXIT.wrongUse, message, { code: 'wrong_use', usageOf: 'check' })
}
