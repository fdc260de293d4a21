import { encodeComment } from '@understudy/sse'

const COMMENT = Buffer.from(encodeComment('waiting'))

/**
 * A stream that has begun before its run is bound to a leg: comment lines, so that no proxy cuts the client off, until `rest` is
 * there. `wait` resolves after one interval; `left` closes what is already under way if the client leaves first.
 */
export async function* waitingAnswer(
  rest: Promise<AsyncIterable<Uint8Array>>,
  wait: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  let stream: AsyncIterable<Uint8Array> | undefined
  const arrived = rest.then((value) => (stream = value))
  while (stream === undefined) {
    yield COMMENT
    await Promise.race([arrived, wait()])
  }
  yield* stream
}
