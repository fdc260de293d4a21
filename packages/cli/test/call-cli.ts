import { runCli } from '../src/index.js'

/** How a test calls the command. */
export interface CallOptions {
  readonly url?: string | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
  /** A terminal of so many columns; absent = pipes. */
  readonly columns?: number | undefined
  readonly cwd?: string | undefined
  readonly input?: string | undefined
  readonly user?: string | undefined
  readonly signal?: AbortSignal | undefined
  readonly onOut?: ((text: string) => void) | undefined
}

export interface Called {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Calls the command in this process, as `ann`. */
export async function callCli(args: readonly string[], options: CallOptions = {}): Promise<Called> {
  const { url, env = {}, columns, cwd = process.cwd(), input = '', user = 'ann', signal = new AbortController().signal, onOut } = options
  let out = ''
  let err = ''
  const isTTY = columns !== undefined
  const code = await runCli(args, {
    out: {
      write(text) {
        out += text
        onOut?.(text)
      },
      isTTY,
      columns: () => columns,
    },
    err: { write: (text) => void (err += text), isTTY, columns: () => columns },
    env: { ...(url !== undefined && { UNDERSTUDY_ADMIN_URL: url }), ...env },
    cwd,
    user: () => (user === '' ? undefined : user),
    input: () => Promise.resolve(input),
    now: Date.now,
    signal,
  })
  return { code, out, err }
}
