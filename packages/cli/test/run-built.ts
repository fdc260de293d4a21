import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { within } from '../../../test/kit/within.js'

/** What is built: to transpile it all would take each process seconds. */
export const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url))

const DEADLINE_MS = 20_000

export interface Ended {
  readonly code: unknown
  readonly signal: unknown
  readonly out: string
  readonly err: string
}

export interface Started {
  readonly child: ChildProcessWithoutNullStreams
  readonly ended: Promise<Ended>
}

/** Starts the command as a process of its own, with pipes. */
export function startBuilt(args: readonly string[], env: Readonly<Record<string, string>>): Started {
  if (!existsSync(CLI)) throw new Error(`${CLI} is not there: npm run build`)
  const child = spawn(process.execPath, [CLI, ...args], { env: { PATH: process.env['PATH'], ...env }, stdio: ['pipe', 'pipe', 'pipe'] })
  let out = ''
  let err = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (err += text))
  const ended = within(DEADLINE_MS, args.join(' '), once(child, 'close')).then(([code, signal]) => ({ code, signal, out, err }))
  return { child, ended }
}
