import { BedrockRuntimeClient, type BedrockRuntimeClientConfig } from '@aws-sdk/client-bedrock-runtime'
import { request as send, type IncomingMessage } from 'node:http'

type Handler = Exclude<NonNullable<BedrockRuntimeClientConfig['requestHandler']>, Record<string, unknown>>
type Sent = Parameters<Extract<Handler, { handle: unknown }>['handle']>[0]

/** The vendor's own client, on HTTP/1.1, which is what a simulator speaks; without retries of its own. */
export function bedrockClient(endpoint: string, config: BedrockRuntimeClientConfig = {}): BedrockRuntimeClient {
  return new BedrockRuntimeClient({
    region: 'us-east-1',
    endpoint,
    maxAttempts: 1,
    requestHandler: { handle, metadata: { handlerProtocol: 'http/1.1' } },
    ...config,
  })
}

async function handle({ method, hostname, port, path, headers, body }: Sent) {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const call = send({ method, hostname, port, path, headers }, resolve)
    call.on('error', reject)
    call.end(body)
  })
  const named = Object.entries(answer.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')])
  return { response: { statusCode: answer.statusCode ?? 0, headers: Object.fromEntries(named) as Record<string, string>, body: answer } }
}
