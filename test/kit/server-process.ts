import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { eventually } from './eventually.js'

/** A real server that a test runs beside itself. */
export interface ServerProcess {
  readonly port: number
  /** Ends it as a crash would, and waits until it is gone. */
  readonly kill: () => Promise<void>
  /** Starts it again on the same port with the same data. Resolves when it answers. */
  readonly revive: () => Promise<void>
  /** Ends it for good. */
  readonly stop: () => Promise<void>
}

export interface ServerCommand {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly uid?: number | undefined
  readonly gid?: number | undefined
}

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/** A port that nobody listens on now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

/** Says that a test does not run here where nobody can overlook it, and gives the words for the report. */
export function notTested(what: string, why: string): string {
  const message = `NOT TESTED: ${what}: ${why}`
  process.stderr.write(`${message}\n`)
  return message
}

/** Runs a server that `answers` when it is up. A server that ends by itself meanwhile is started again: what it waited for may take a moment. */
export async function runServer(port: number, command: ServerCommand, answers: () => Promise<boolean>): Promise<ServerProcess> {
  let child: ChildProcess | undefined

  const killNow = (): void => void child?.kill('SIGKILL')
  // A test that takes too long is ended by a signal, which would leave the server.
  const onSignal = (signal: NodeJS.Signals): void => {
    killNow()
    process.kill(process.pid, signal)
  }
  process.once('exit', killNow)
  for (const signal of SIGNALS) process.once(signal, onSignal)

  async function start(): Promise<void> {
    let log = ''
    await eventually(`${command.command} answers`, async () => {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) {
        child = launch(command, (text) => (log = (log + text).slice(-4_000)))
      }
      return (await answers()) ? true : undefined
    }, 30_000).catch((error: unknown) => {
      throw new Error(`it said:\n${log}`, { cause: error })
    })
  }

  async function kill(): Promise<void> {
    const ending = child
    child = undefined
    if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return
    const ended = once(ending, 'exit')
    ending.kill('SIGKILL')
    await ended
  }

  await start()
  return {
    port,
    kill,
    revive: start,
    stop: async () => {
      process.off('exit', killNow)
      for (const signal of SIGNALS) process.off(signal, onSignal)
      await kill()
    },
  }
}

function launch({ command, args, cwd, uid, gid }: ServerCommand, say: (text: string) => void): ChildProcess {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], ...(uid !== undefined && { uid, gid }) })
  child.on('error', (error) => say(`${error.message}\n`))
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', say)
  return child
}
