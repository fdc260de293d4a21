/** An HTTP/1 response while it arrives. */
export interface MessageReader {
  read(bytes: Buffer, at: number): void
  /** The connection is over: completes a message that only that can end. */
  end(): void
  state(): 'head' | 'body' | 'complete'
  message(): {
    readonly status: number | null
    readonly headers: readonly (readonly [string, string])[]
    readonly pieces: readonly { readonly at: number, readonly bytes: Buffer }[]
    readonly wire: Buffer
  }
}

type Framing = { readonly kind: 'length', left: number } | { readonly kind: 'chunked' } | { readonly kind: 'close' }

/** Reads one response; what follows it is left alone. */
export function createMessageReader(method: string): MessageReader {
  const wire: Buffer[] = []
  const pieces: { at: number, bytes: Buffer }[] = []
  let headers: readonly (readonly [string, string])[] = []
  let status: number | null = null
  let state: 'head' | 'body' | 'complete' = 'head'
  let framing: Framing = { kind: 'close' }
  let rest: Buffer = Buffer.alloc(0)
  /** Of the HTTP chunk that is being read; -1 before its size line. */
  let left = -1

  return {
    read: (bytes, at) => {
      if (state === 'complete') return
      wire.push(bytes)
      rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
      if (state === 'head') readHead()
      if (state === 'body') readBody(at)
    },
    end: () => {
      if (state === 'body' && framing.kind === 'close') state = 'complete'
    },
    state: () => state,
    message: () => ({ status, headers, pieces, wire: Buffer.concat(wire) }),
  }

  function readHead(): void {
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1) return
    const [statusLine = '', ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n')
    status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(statusLine)?.[1] ?? Number.NaN)
    headers = lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
    })
    rest = rest.subarray(end + 4)
    state = 'body'
    framing = framingOf()
    if (framing.kind === 'length' && framing.left === 0) state = 'complete'
  }

  function framingOf(): Framing {
    if (method === 'HEAD' || status === 204 || status === 304) return { kind: 'length', left: 0 }
    const header = (name: string) => headers.find(([key]) => key === name)?.[1]
    if (header('transfer-encoding')?.includes('chunked') === true) return { kind: 'chunked' }
    const length = header('content-length')
    return length === undefined ? { kind: 'close' } : { kind: 'length', left: Number(length) }
  }

  function readBody(at: number): void {
    switch (framing.kind) {
      case 'close':
        take(rest.length, at)
        return
      case 'length':
        framing.left -= take(Math.min(rest.length, framing.left), at)
        if (framing.left === 0) state = 'complete'
        return
      case 'chunked':
        while (readChunk(at));
    }
  }

  /** Whether there may be more to read. */
  function readChunk(at: number): boolean {
    if (left > 0) {
      left -= take(Math.min(rest.length, left), at)
      return left === 0
    }
    const lineEnd = rest.indexOf('\r\n')
    if (lineEnd === -1) return false
    const line = rest.subarray(0, lineEnd).toString('latin1')
    if (left === 0) {
      // The line end behind the data of a chunk.
      rest = rest.subarray(lineEnd + 2)
      left = -1
      return true
    }
    const size = Number.parseInt(line, 16)
    if (size === 0) {
      if (rest.length < lineEnd + 4) return false
      state = 'complete'
      return false
    }
    rest = rest.subarray(lineEnd + 2)
    left = size
    return true
  }

  function take(length: number, at: number): number {
    if (length > 0) pieces.push({ at, bytes: rest.subarray(0, length) })
    rest = rest.subarray(length)
    return length
  }
}
