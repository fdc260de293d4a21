import type { AdminAddress } from './admin-address.js'
import { readRefusal } from './admin-refusal.js'
import { CliError } from './cli-error.js'
import { EXIT } from './exit-code.js'
import { createDeadline } from './deadline.js'
import { readLines } from './read-lines.js'
import type { Screen } from './screen.js'
import { whyUnreachable } from './why-unreachable.js'

/** What an answer said, and when by the server's own clock, in milliseconds since the epoch. */
export interface AdminAnswer {
  readonly value: unknown
  readonly at: number
}

/** What is asked of a control surface. Each call throws a `CliError` if there is no answer that can be used. */
export interface AdminClient {
  readonly get: (path: string, query?: Readonly<Record<string, string>>) => Promise<AdminAnswer>
  readonly post: (path: string, body: Readonly<Record<string, unknown>>) => Promise<AdminAnswer>
  /** One JSON value for each line, as it comes. */
  readonly lines: (path: string, body: Readonly<Record<string, unknown>>) => AsyncGenerator<unknown, void>
  readonly shown: string
}

/** What a client is made of. */
export interface AdminClientParts {
  readonly address: AdminAddress
  readonly headers: Readonly<Record<string, string>>
  /** How long an answer may take to its end, or, of several lines, the next of them. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly screen: Screen
  readonly now: () => number
}

const MOST_CHARACTERS = 16 * 1_048_576

/** Makes a client of the control surface, on Node's own `fetch`. */
export function createAdminClient({ address, headers, timeoutMs, signal, screen, now }: AdminClientParts): AdminClient {
  const { shown } = address

  let serverTime = Number.NaN

  async function* ask(method: string, url: URL, body?: Readonly<Record<string, unknown>>): AsyncGenerator<string, void> {
    const isChange = method === 'POST' && url.pathname !== address.of('/try').pathname
    const deadline = createDeadline(timeoutMs, signal)
    screen.progress.start(`waiting for ${shown}`)
    try {
      const response = await fetch(url, {
        method,
        headers: { accept: 'application/json, application/x-ndjson', ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        // A token goes to the address that was given, and to no other.
        redirect: 'manual',
        signal: deadline.signal,
      })
      serverTime = Date.parse(response.headers.get('date') ?? '')
      if (!response.ok) throw readRefusal(response.status, await readAll(response), shown)
      for await (const text of readLines(response, MOST_CHARACTERS)) {
        deadline.restart()
        yield text
        screen.progress.start(`waiting for ${shown}`)
      }
    } catch (error) {
      throw asCliError(error, deadline.isOver(), isChange)
    } finally {
      deadline.stop()
      screen.progress.stop()
    }
  }

  function asCliError(error: unknown, isOver: boolean, isChange: boolean): unknown {
    if (error instanceof CliError) return error
    const unsure = isChange ? '; it is not known whether the change was made: see understudy status' : ''
    if (signal.aborted) {
      const isTerm = signal.reason === 'SIGTERM'
      return new CliError(isTerm ? EXIT.terminated : EXIT.interrupted, `interrupted${unsure}`, { code: 'interrupted' })
    }
    const why = isOver ? `no answer within ${timeoutMs / 1_000} s` : whyUnreachable(error)
    return new CliError(EXIT.unreachable, `${shown} cannot be used: ${why}${unsure}`, { code: isOver ? 'timeout' : 'unreachable' })
  }

  async function whole(method: string, url: URL, body?: Readonly<Record<string, unknown>>): Promise<AdminAnswer> {
    let text = ''
    for await (const line of ask(method, url, body)) text += `${line}\n`
    return { value: parse(text), at: Number.isNaN(serverTime) ? now() : serverTime }
  }

  function parse(text: string): unknown {
    try {
      return JSON.parse(text)
    } catch {
      throw new CliError(EXIT.unreachable, `${shown} answered with something that is no JSON; is it where adminMiddleware is mounted?`, { code: 'odd_answer' })
    }
  }

  return {
    shown,
    get: (path, query) => whole('GET', address.of(path, query)),
    post: (path, body) => whole('POST', address.of(path), body),
    async* lines(path, body) {
      for await (const line of ask('POST', address.of(path), body)) if (line.trim() !== '') yield parse(line)
    },
  }
}

async function readAll(response: Response): Promise<string> {
  let text = ''
  for await (const line of readLines(response, MOST_CHARACTERS)) text += `${line}\n`
  return text
}
