const PLACEHOLDER = 'not-asked-when-checking'

/**
 * An environment in which every variable is set. Whether a document fits does not depend on the machine that checks it: there the
 * credentials are not, and should not be. Nothing is called with what stands here.
 */
export const OFFLINE_ENVIRONMENT: Readonly<Record<string, string | undefined>> = new Proxy<Record<string, string | undefined>>({}, {
  get: (_target, name) => (typeof name === 'string' ? valueOf(name) : undefined),
  getOwnPropertyDescriptor: (_target, name) =>
    typeof name === 'string' ? { value: valueOf(name), enumerable: true, configurable: true, writable: true } : undefined,
})

function valueOf(name: string): string {
  return /ENDPOINT|URL|HOST/.test(name) ? `https://${PLACEHOLDER}.invalid` : PLACEHOLDER
}
