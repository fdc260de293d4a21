import { createServer } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** What a call gets: a status with an error, or an answer in the forms that the vendor's page shows. */
export interface AnthropicStep {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly error?: { readonly type: string; readonly message: string }
  /** The answer is a call of the tool `weather`. */
  readonly tool?: boolean
  /** A stream ends with this event behind its content, or in place of all of it. */
  readonly errorEvent?: 'before' | 'behind'
}

export interface AnthropicServer {
  readonly url: string
  readonly calls: readonly { readonly body: Record<string, unknown>; readonly headers: IncomingHttpHeaders }[]
  play(...steps: readonly AnthropicStep[]): void
  close(): Promise<void>
}

export const ANTHROPIC_TEXT = 'Hello from the wings.'

const USAGE = { input_tokens: 12, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 6 }

/** Anthropic's Messages API on loopback, written by hand after https://platform.claude.com/docs/en/build-with-claude/streaming. */
export async function startAnthropic(): Promise<AnthropicServer> {
  const calls: { body: Record<string, unknown>; headers: IncomingHttpHeaders }[] = []
  let steps: readonly AnthropicStep[] = [{}]

  const server = createServer(async (request, response) => {
    const body = (await json(request)) as Record<string, unknown>
    calls.push({ body, headers: request.headers })
    const step = steps[calls.length - 1] ?? steps.at(-1) ?? {}
    const { status = 200, headers, error = { type: 'api_error', message: 'Internal server error' } } = step
    const common = { 'request-id': `req_${calls.length}`, ...headers }
    if (status !== 200) {
      response.writeHead(status, { 'content-type': 'application/json', ...common }).end(JSON.stringify({ type: 'error', error }))
    } else if (body['stream'] === true) {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', ...common })
      for (const event of events(String(body['model']), step)) {
        response.write(`event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`)
      }
      response.end()
    } else {
      response.writeHead(200, { 'content-type': 'application/json', ...common }).end(JSON.stringify(message(String(body['model']), step)))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    play(...next) {
      steps = next
      calls.length = 0
    },
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

function message(model: string, { tool = false }: AnthropicStep): Record<string, unknown> {
  const content = tool
    ? [{ type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Bern' } }]
    : [{ type: 'text', text: ANTHROPIC_TEXT }]
  const ending = { stop_reason: tool ? 'tool_use' : 'end_turn', stop_sequence: null, usage: USAGE }
  return { id: 'msg_1', type: 'message', role: 'assistant', model, content, ...ending }
}

function events(model: string, { tool = false, errorEvent }: AnthropicStep): readonly Record<string, unknown>[] {
  const start = {
    type: 'message_start',
    message: { ...message(model, {}), content: [], stop_reason: null, usage: { ...USAGE, output_tokens: 1 } },
  }
  const failed = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
  if (errorEvent === 'before') return [start, { type: 'ping' }, failed]
  const block = tool ? { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} } : { type: 'text', text: '' }
  const deltas = tool
    ? ['{"city"', ':"Bern"}'].map((text) => ({ type: 'input_json_delta', partial_json: text }))
    : ANTHROPIC_TEXT.split(/(?<= )/).map((text) => ({ type: 'text_delta', text }))
  return [
    start,
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'ping' },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index: 0, delta })),
    ...(errorEvent === 'behind'
      ? [failed]
      : [
          { type: 'content_block_stop', index: 0 },
          { type: 'message_delta', delta: { stop_reason: tool ? 'tool_use' : 'end_turn', stop_sequence: null }, usage: USAGE },
          { type: 'message_stop' },
        ]),
  ]
}
