export { fallbackMiddleware } from './fallback-middleware.js'
export { ConfigError, createFallback, createMemoryStore, defineRoutes, fileSource, httpSource, isChainControlError, isConfigError, isDrillError, isVersionConflictError } from '@understudy/http'

export type { HostRequest, NodeMiddleware } from './fallback-middleware.js'
export type { Authorize, AuthorizeAttempt, Caller, CallerRequest, ChainSource, ConfigIssue, FailoverDefaults, Fallback, FallbackEvent, FallbackOptions } from '@understudy/http'
export type { FallbackSnapshot, HealthStore, Identify, LegInput, Logger, MountOptions, ProviderInput, RouteOptions, RoutesInput } from '@understudy/http'
