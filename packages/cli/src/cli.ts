#!/usr/bin/env node
import { userInfo } from 'node:os'
import { text } from 'node:stream/consumers'
import type { WriteStream } from 'node:tty'
import type { Terminal } from './cli-context.js'
import { EXIT } from './exit-code.js'
import { runCli } from './run-cli.js'

const interrupted = new AbortController()
// Once: whoever presses again does not want to wait.
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => {
    interrupted.abort(name)
    // A module that is checked may wait for something that never comes.
    setTimeout(() => process.exit(name === 'SIGINT' ? EXIT.interrupted : EXIT.terminated), 1_000).unref()
  })
}

// `understudy history | head` closes the pipe: there is nothing left to say, and nothing went wrong.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
process.stderr.on('error', () => undefined)

const code = await runCli(process.argv.slice(2), {
  out: terminal(process.stdout),
  err: terminal(process.stderr),
  env: process.env,
  cwd: process.cwd(),
  user: userName,
  input: () => text(process.stdin),
  now: Date.now,
  signal: interrupted.signal,
})
// A module that was checked may have opened what would keep the process.
process.stdout.write('', () => process.stderr.write('', () => process.exit(code)))

function terminal(stream: WriteStream): Terminal {
  return {
    write: (text) => void stream.write(text),
    isTTY: stream.isTTY,
    // A terminal that nobody has given a size says 0.
    columns: () => (stream.isTTY && stream.columns > 0 ? stream.columns : undefined),
  }
}

function userName(): string | undefined {
  try {
    return userInfo().username
  } catch {
    // A container may run as a number that has no name.
    return process.env['USER']
  }
}
