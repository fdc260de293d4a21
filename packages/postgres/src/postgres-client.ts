/** What is needed of a pool of the package `pg`. It belongs to the host, who ends it. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>
}

/** What is needed of a client that the pool lends. */
export interface PostgresClient {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>
  /** With `true` it is closed and not lent again. */
  release(destroy?: boolean): void
  on(event: 'notification', listener: (message: { readonly channel: string; readonly payload?: string | undefined }) => void): unknown
  on(event: 'error' | 'end', listener: (error?: unknown) => void): unknown
  off(event: 'error', listener: (error?: unknown) => void): unknown
  /** So that a process can end beside it. */
  unref?(): unknown
}

/** Runs one query: values stand in it as `$1`. */
export type RunQuery = (text: string, values?: readonly unknown[]) => Promise<readonly unknown[]>

/** Whether a value can be used as a pool. */
export function isPool(value: unknown): value is PostgresPool {
  return typeof value === 'object' && value !== null && 'connect' in value && typeof value.connect === 'function'
}
