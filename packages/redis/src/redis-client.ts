/** What is needed of a client of the package `redis`: one of `createClient` or `createCluster`, connected by the host. */
export interface NodeRedisClient {
  get(key: string): Promise<unknown>
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
  subscribe(channel: string, listener: () => void): Promise<unknown>
  unsubscribe(channel: string, listener: () => void): Promise<unknown>
  duplicate(): NodeRedisClient
  connect(): Promise<unknown>
  destroy(): unknown
  on(event: 'error' | 'ready' | 'connect', listener: (...args: unknown[]) => void): unknown
  off(event: 'ready', listener: (...args: unknown[]) => void): unknown
  /** A cluster does not say. */
  readonly isReady?: boolean
  /** Takes back what is not sent yet. A cluster has none. */
  withAbortSignal?(signal: AbortSignal): NodeRedisClient
  /** So that a process can end beside it. A cluster has none. */
  unref?(): unknown
}

/** What is needed of a client of the package `ioredis`: a `Redis` or a `Cluster`. */
export interface IoRedisClient {
  readonly status: string
  get(key: string): Promise<unknown>
  eval(script: string, keys: number, ...keysAndArguments: string[]): Promise<unknown>
  subscribe(channel: string): Promise<unknown>
  unsubscribe(channel: string): Promise<unknown>
  duplicate(): IoRedisClient
  connect(): Promise<unknown>
  disconnect(): unknown
  on(event: 'error' | 'ready' | 'connect' | 'message', listener: (...args: unknown[]) => void): unknown
  off(event: 'ready' | 'message', listener: (...args: unknown[]) => void): unknown
  /** Its socket. A cluster has many. */
  readonly stream?: unknown
}

/** A client that is passed in. */
export type RedisClient = NodeRedisClient | IoRedisClient

/** The same words for both. */
export interface RedisConnection {
  readonly get: (key: string, signal: AbortSignal) => Promise<unknown>
  readonly run: (script: string, keys: readonly string[], args: readonly string[], signal: AbortSignal) => Promise<unknown>
}

/** A connection that was opened here, and is closed here. */
export interface OwnConnection {
  readonly connected: Promise<unknown>
  readonly end: () => void
}

/** Ends a subscription, and leaves its connection open. */
export type EndSubscription = () => void

/** Whether it is one of `ioredis`, whose clients say their status in a word. */
export function isIoRedis(client: RedisClient): client is IoRedisClient {
  return 'status' in client && typeof client.status === 'string'
}

/** Whether a value can be used as a client of either package. */
export function isRedisClient(value: unknown): value is RedisClient {
  if (typeof value !== 'object' || value === null) return false
  return ['get', 'eval', 'subscribe', 'duplicate', 'on'].every((name) => typeof Reflect.get(value, name) === 'function')
}
