const MAX_FRAMES = 5

/** Where an error was made. Its message stands before the frames and may look like one, so it is cut off by its length. */
export function framesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error) || typeof error.stack !== 'string') return []
  const { stack, message } = error
  const messageAt = stack.indexOf(message)
  if (messageAt === -1) return []
  const lines = stack.slice(messageAt + message.length).split('\n')
  return lines.slice(1, 1 + MAX_FRAMES).map((line) => line.trim())
}
