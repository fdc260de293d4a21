import { spawn } from 'node:child_process'

const DEADLINE_MS = 200_000

export interface Ended {
  readonly status: number | null
  readonly output: string
  readonly errors: string
}

/** The environment of a person's shell: nothing of tap, of `npm test` or of this workspace. */
const ENVIRONMENT = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(?:NODE_|TAP|npm_(?!config_)|npm_config_local_prefix$)/.test(name)),
)

/** Runs a command to its end, or to the deadline, when its status is `null`. */
export function runCommand(cwd: string, command: string, ...args: readonly string[]): Promise<Ended> {
  const child = spawn(command, args, { cwd, env: ENVIRONMENT, stdio: ['ignore', 'pipe', 'pipe'], timeout: DEADLINE_MS })
  let output = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', (status) => resolve({ status, output, errors }))
  })
}
