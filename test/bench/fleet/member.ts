import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { within } from '../../kit/within.js'

const START_MS = 60_000
const CHANGE_MS = 15_000

/** One process of the fleet, as its parent sees it. */
export interface Member {
  readonly port: number
  /** The versions that it applied, in that order. */
  readonly applied: readonly number[]
  /** Changes a chain through it: a method of its `chains`. Gives the version that is live then. */
  readonly change: (change: 'pin' | 'revert', request: object) => Promise<number>
  readonly stop: () => Promise<void>
}

interface Message {
  readonly type: 'ready' | 'applied' | 'changed'
  readonly port?: number
  readonly version?: number
  readonly id?: number
  readonly result?: { readonly version: number }
  readonly failure?: string
}

/** Starts a process, on what is built. */
export async function startMember(settings: object): Promise<Member> {
  const path = fileURLToPath(new URL('process.mjs', import.meta.url))
  const child = fork(path, [JSON.stringify(settings)], { execArgv: [], env: { PATH: process.env['PATH'], NODE_ENV: 'production' } })
  const applied: number[] = []
  const waiting = new Map<number, (message: Message) => void>()
  let changes = 0

  const ready = new Promise<number>((resolve, reject) => {
    child.once('exit', (code, signal) => reject(new Error(`a process ended with ${signal ?? code}`)))
    child.on('message', (message: Message) => {
      if (message.type === 'ready') resolve(message.port ?? 0)
      else if (message.type === 'applied') applied.push(message.version ?? NaN)
      else waiting.get(message.id ?? -1)?.(message)
    })
  })
  const port = await within(START_MS, 'a process starts', ready)

  return {
    port,
    applied,
    change: async (change, request) => {
      changes += 1
      const id = changes
      const answer = new Promise<Message>((resolve) => void waiting.set(id, resolve))
      child.send({ id, change, request })
      const { result, failure } = await within(CHANGE_MS, change, answer)
      if (result === undefined) throw new Error(failure)
      return result.version
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}
