import { CliError } from './cli-error.js'
import { EXIT } from './exit-code.js'

/** The lines of a body as they come, the last one too if nothing ends it. Closing it closes the connection. */
export async function* readLines(response: Response, mostCharacters: number): AsyncGenerator<string, void> {
  if (response.body === null) return
  let rest = ''
  let characters = 0
  const decoder = new TextDecoder()
  for await (const bytes of response.body) {
    const chunk: unknown = bytes
    const text = chunk instanceof Uint8Array ? decoder.decode(chunk, { stream: true }) : ''
    characters += text.length
    if (characters > mostCharacters) throw new CliError(EXIT.unreachable, 'the answer is far too long to be one', { code: 'odd_answer' })
    // What is held is not searched again: a long line would be, with each piece of it.
    const [first = '', ...others] = text.split('\n')
    rest += first
    for (const line of others) {
      yield rest
      rest = line
    }
  }
  rest += decoder.decode()
  if (rest !== '') yield rest
}
