const marker = Symbol.for('understudy.FrameTooLargeError')

/**
 * A frame grew over `maxFrameBytes` before its blank line came. The stream cannot be read further: give its source up.
 * Recognise it with {@link isFrameTooLargeError}, which also holds between two copies of this package.
 */
export class FrameTooLargeError extends Error {
  override readonly name = 'FrameTooLargeError'
  /** Stable; safe to compare with. */
  readonly code = 'ERR_SSE_FRAME_TOO_LARGE'
  /** The bound that was passed, in bytes. */
  readonly maxFrameBytes: number
  readonly [marker] = true

  constructor(maxFrameBytes: number) {
    super(`A server-sent event is larger than maxFrameBytes (${maxFrameBytes} bytes) and has not ended`)
    this.maxFrameBytes = maxFrameBytes
  }
}

/** Whether `error` is a {@link FrameTooLargeError}, from this copy of the package or another. */
export function isFrameTooLargeError(error: unknown): error is FrameTooLargeError {
  try {
    return typeof error === 'object' && error !== null && Reflect.get(error, marker) === true
  } catch {
    // A getter or a proxy of a stranger threw: whatever it is, it is none of ours.
    return false
  }
}
