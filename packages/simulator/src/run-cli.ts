import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { parseScript } from './script-schema.js'
import { startSimulator, type Simulator } from './start-simulator.js'
import type { ReceivedCall } from './record.js'
import type { Script } from './script.js'

/** What the command reads and writes. */
export interface CliContext {
  readonly out: (line: string) => void
  readonly err: (line: string) => void
  /** Ends the simulator when it aborts. */
  readonly signal: AbortSignal
}

const usage = `Usage: understudy-simulator [--port <number>] [--script <file.json>] [--print]

Serves a scripted LLM provider (OpenAI chat completions, Responses and embeddings, there and at Azure;
Anthropic Messages; Gemini; Bedrock; Vertex AI) on 127.0.0.1 and prints its base URL. Ends with SIGINT
or SIGTERM.

  --port <number>       the port; default 0, a free one
  --script <file.json>  what each model answers; default: every model is healthy
  --print               one line for each call, when it is over
  --help                this text`

interface Arguments {
  readonly port: number
  readonly script: string | undefined
  readonly print: boolean
  readonly help: boolean
}

/** The command. Resolves to its exit code: 0, 1 if it cannot listen, 2 if it was called wrongly. */
export async function runCli(args: readonly string[], { out, err, signal }: CliContext): Promise<number> {
  let parsed: Arguments
  let script: Script | undefined
  try {
    parsed = readArguments(args)
    if (parsed.help) {
      out(usage)
      return 0
    }
    script = parsed.script === undefined ? undefined : await readScript(parsed.script)
  } catch (error) {
    err(`understudy-simulator: ${messageOf(error)}\n\n${usage}`)
    return 2
  }

  let simulator: Simulator
  try {
    const onCall = parsed.print ? (call: ReceivedCall) => void printWhenOver(call, out) : undefined
    simulator = await startSimulator({ port: parsed.port, script, onCall, keepCalls: 0 })
  } catch (error) {
    err(`understudy-simulator: cannot listen on port ${parsed.port}: ${messageOf(error)}`)
    return 1
  }
  out(simulator.url)
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  await simulator.close()
  return 0
}

function readArguments(args: readonly string[]): Arguments {
  const { values } = parseArgs({
    args: [...args],
    strict: true,
    allowPositionals: false,
    options: {
      port: { type: 'string', default: '0' },
      script: { type: 'string' },
      print: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const port = Number(values.port)
  if (!/^\d+$/.test(values.port) || port > 65_535) {
    throw new Error(`--port: got '${values.port}'; it must be a whole number from 0 to 65535`)
  }
  return { port, script: values.script, print: values.print, help: values.help }
}

async function readScript(path: string): Promise<Script> {
  let input: unknown
  try {
    input = JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    throw new Error(`--script: '${path}' is not a JSON file that can be read: ${messageOf(error)}`, { cause: error })
  }
  return parseScript(input)
}

async function printWhenOver(call: ReceivedCall, out: (line: string) => void): Promise<void> {
  const { at, by, complete } = await call.closed
  out([
    new Date(call.at).toISOString(),
    call.method,
    call.path,
    `model=${call.model ?? '-'}`,
    `call=${call.number}`,
    `step=${call.step ?? '-'}`,
    call.stream ? 'stream' : 'whole',
    `status=${call.status ?? '-'}`,
    `bytes=${call.bytesSent}`,
    complete ? 'complete' : `cut-by-${by}`,
    `${at - call.at}ms`,
  ].join(' '))
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
