// One request of about 1 KB, as a chat client sends it.
const MESSAGES = [
  { role: 'system', content: 'You are a concise assistant on a support desk. Answer in the language of the question. '.repeat(3) },
  { role: 'user', content: 'My order 81723 has not arrived. The tracking page says "in transit" since Monday.\nWhat can I do?' },
  { role: 'assistant', content: 'I am sorry about the delay. I can ask the carrier, or send the order again. Which do you prefer?' },
  { role: 'user', content: 'Ask the carrier first, please. If they do not know, send it again to the same address as before.' },
]

/** The bytes of a request to a port; `model` is the name of the route, which plain hosts pass on. */
export function requestBytes(port, stream) {
  const body = JSON.stringify({ model: 'chat', messages: MESSAGES, temperature: 0.3, max_tokens: 400, stream })
  return Buffer.from([
    'POST /v1/chat/completions HTTP/1.1',
    `host: 127.0.0.1:${port}`,
    'accept: application/json',
    'user-agent: bench/1',
    'content-type: application/json',
    'authorization: Bearer sk-caller',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: keep-alive',
    '',
    body,
  ].join('\r\n'))
}
