/**
 * The version that a stored document says it has; 0 where it says none that can be read. So a document that is broken, and that no
 * process runs, can be replaced by who expects version 0.
 */
export function storedVersion(document: unknown): number {
  if (typeof document !== 'object' || document === null || !Object.hasOwn(document, 'version')) return 0
  const version: unknown = Reflect.get(document, 'version')
  return typeof version === 'number' && Number.isSafeInteger(version) && version > 0 ? version : 0
}
