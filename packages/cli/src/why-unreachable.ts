const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nobody listens there',
  ECONNRESET: 'the connection was cut',
  ENOTFOUND: 'no host is called so',
  EAI_AGAIN: 'the name of the host cannot be looked up now',
  EHOSTUNREACH: 'there is no way to the host',
  ENETUNREACH: 'there is no way to the host',
  ETIMEDOUT: 'the host does not answer',
  UND_ERR_CONNECT_TIMEOUT: 'the host does not answer',
  UND_ERR_SOCKET: 'the connection was cut',
}

/** Why a request got no answer, in a few words and without anything that was sent. */
export function whyUnreachable(error: unknown): string {
  const code = codesOf(error, 0).at(-1)
  if (code === undefined) return isBadPort(error) ? 'no browser and no fetch goes to that port' : 'the request failed'
  return REASONS[code] ?? (/CERT|SELF_SIGNED|ALTNAME|^ERR_SSL|^ERR_TLS/.test(code) ? `its certificate or TLS is not to be trusted (${code})` : code)
}

/** Codes from the outside in: `fetch` wraps what a socket says, and one try for each address of a name wraps that again. */
function codesOf(error: unknown, depth: number): readonly string[] {
  if (typeof error !== 'object' || error === null || depth > 5) return []
  const own: unknown = Reflect.get(error, 'code')
  const inner: unknown = Reflect.get(error, 'cause') ?? firstOf(Reflect.get(error, 'errors'))
  return [...(typeof own === 'string' ? [own] : []), ...codesOf(inner, depth + 1)]
}

/** https://fetch.spec.whatwg.org/#port-blocking */
function isBadPort(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof Error && error.cause.message === 'bad port'
}

function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : undefined
}
