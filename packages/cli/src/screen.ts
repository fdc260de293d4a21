import type { CliContext } from './cli-context.js'
import { jsonText } from './json-text.js'
import { createPaint, type Paint } from './paint.js'
import { createProgress, type Progress } from './progress.js'

/** What a command says things with. Nothing that it was told to keep to itself gets through. */
export interface Screen {
  /** Lines of the result. */
  readonly print: (...lines: readonly string[]) => void
  /** A line beside the result. */
  readonly note: (line: string) => void
  /** A result for a script, over several lines. */
  readonly json: (value: unknown) => void
  /** One result of several for a script, on a line of its own. */
  readonly jsonLine: (value: unknown) => void
  readonly paint: Paint
  /** Of a line on a terminal; `undefined` elsewhere. */
  readonly width: () => number | undefined
  readonly progress: Progress
  /** A text that must never be shown. */
  readonly hide: (secret: string) => void
}

/** Narrower is no terminal for tables. */
const LEAST_WIDTH = 40
/** Shorter ones would be found in words that hold no secret. */
const SHORTEST_SECRET = 6

/** Makes the screen of one call. */
export function createScreen({ out, err, env, now }: CliContext): Screen {
  const secrets = new Set<string>()
  const clean = (text: string): string => [...secrets].reduce((shown, secret) => shown.replaceAll(secret, '***'), text)
  const progress = createProgress({ ...err, write: (text) => err.write(clean(text)) }, now)

  function print(...lines: readonly string[]): void {
    progress.stop()
    for (const line of lines) out.write(`${clean(line)}\n`)
  }

  return {
    print,
    note(line) {
      progress.stop()
      err.write(`${clean(line)}\n`)
    },
    json: (value) => print(jsonText(value, 2)),
    jsonLine: (value) => print(jsonText(value)),
    paint: createPaint(out.isTTY, env),
    width: () => (out.isTTY ? Math.max(LEAST_WIDTH, out.columns() ?? 80) : undefined),
    progress,
    hide: (secret) => {
      if (secret.length < SHORTEST_SECRET) return
      secrets.add(secret)
      // As it would stand in JSON.
      secrets.add(jsonText(secret).slice(1, -1))
    },
  }
}
