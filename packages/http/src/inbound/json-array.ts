import { createEventReader } from '@understudy/sse'

import type { OutboundResponse } from './response.js'

type Result = IteratorResult<Uint8Array, undefined>

const DONE: Result = { done: true, value: undefined }

/** Whether a stream of Gemini's is asked for as events; else it is one JSON array, an answer an item. */
export function asksForEvents(query: string): boolean {
  return new URLSearchParams(query).get('alt') === 'sse'
}

/** A stream of events as one JSON array, item by item as they come. Any other response is as it was. */
export function asJsonArray(response: OutboundResponse): OutboundResponse {
  const { body, headers } = response
  if (body === undefined || body instanceof Uint8Array) return response
  const type = { 'content-type': 'application/json; charset=utf-8' }
  return { ...response, headers: { ...headers, ...type }, body: arrayOf(body[Symbol.asyncIterator]()) }
}

/** Not a generator: the `return` of one would wait behind its `next`. */
function arrayOf(events: AsyncIterator<Uint8Array>): AsyncIterableIterator<Uint8Array> {
  const reader = createEventReader()
  let items = 0
  let isOver = false

  function textOf(read: Uint8Array): string {
    return reader.push(read).map(({ data }) => `${items++ === 0 ? '[' : ',\r\n'}${data}`).join('')
  }

  async function next(): Promise<Result> {
    while (!isOver) {
      const result = await events.next()
      if (result.done === true) {
        isOver = true
        return { done: false, value: Buffer.from(items === 0 ? '[]' : ']') }
      }
      const text = textOf(result.value)
      if (text !== '') return { done: false, value: Buffer.from(text, 'utf8') }
    }
    return DONE
  }

  return {
    [Symbol.asyncIterator]() {
      return this
    },
    next,
    async return() {
      isOver = true
      await events.return?.()
      return DONE
    },
  }
}
