/**
 * What of a name may stand in headers, labels and logs: at most 64 of `[A-Za-z0-9_.-]`, perhaps nothing. Structural names and codes are
 * made with it, since clients name fields and vendors name errors as they like.
 */
export function sanitiseName(name: string): string {
  return name.replace(/[^\w.-]/g, '').slice(0, 64)
}
