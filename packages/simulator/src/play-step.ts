import type { ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { byteStream } from './byte-stream.js'
import type { AnswerContext, Dialect } from './dialect/dialect.js'
import type { Ending } from './ending.js'
import { pause, untilOver } from './pause.js'
import { payloadOf } from './payload.js'
import type { OpenCall } from './record.js'
import { responseHeaders } from './response-headers.js'
import type { Step } from './script.js'

/**
 * From the last byte to RST. A Node client that finds both in one look at its socket takes RST for a plain end, so it
 * gets time to read first.
 */
const resetGapMs = 50

/** What a step is played on. */
export interface Stage {
  readonly dialect: Dialect
  readonly context: AnswerContext
  readonly call: OpenCall
  readonly response: ServerResponse
  /** The TCP socket below the response, below TLS too: only that one can send RST. */
  readonly socket: Socket
}

/** Plays one step to its end, which may be a silence that only the caller ends. Rejects when the call is over. */
export async function playStep(step: Step, stage: Stage): Promise<void> {
  const { dialect, context, call, response } = stage
  const { signal } = call
  await pause(step.delayMs, signal)
  if (step.connect === 'accept_stall') await untilOver(signal)
  if (step.connect === 'reset_before_headers') {
    reset(stage)
    return
  }

  const payload = payloadOf(step, dialect, context, call.received.stream)
  response.statusCode = step.status ?? 200
  for (const [name, value] of responseHeaders(step, payload, context)) response.setHeader(name, value)
  if (step.connect === 'reset_after_headers') {
    await flushed(stage)
    await pause(resetGapMs, signal)
    reset(stage)
    return
  }
  if (step.headersFirst === true) {
    response.flushHeaders()
    await pause(0, signal)
  }

  let ending: Ending = 'end'
  const stream = byteStream(payload, step, {
    dialect,
    signal,
    onEnding: (chosen) => {
      ending = chosen
    },
  })
  for await (const bytes of stream) await write(bytes, stage)
  await end(ending, stage)
}

async function write(bytes: Uint8Array, { call, response }: Stage): Promise<void> {
  if (bytes.length === 0) {
    response.flushHeaders()
    return
  }
  call.addBytes(bytes.length)
  if (!response.write(bytes)) await once(response, 'drain', { signal: call.signal })
  call.signal.throwIfAborted()
}

async function end(ending: Ending, stage: Stage): Promise<void> {
  const { call, response } = stage
  if (ending === 'end' && !isShort(stage)) {
    response.end()
    return
  }
  await flushed(stage)
  if (ending === 'stall') await untilOver(call.signal)
  if (ending === 'reset') {
    await pause(resetGapMs, call.signal)
    reset(stage)
    return
  }
  call.endedByUs()
  response.socket?.destroySoon()
}

function reset({ call, socket }: Stage): void {
  call.endedByUs()
  socket.resetAndDestroy()
}

/** Fewer bytes than the script's own content-length announces: only the end of the connection can end that message. */
function isShort({ call, response }: Stage): boolean {
  const announced = Number(response.getHeader('content-length') ?? 0)
  return announced > call.received.bytesSent
}

/** Bytes that the kernel does not have yet would be lost with a reset. */
async function flushed({ call, response }: Stage): Promise<void> {
  if (!response.headersSent) response.flushHeaders()
  await pause(0, call.signal)
  while (response.writableLength > 0 || (response.socket?.writableLength ?? 0) > 0) await pause(1, call.signal)
}
