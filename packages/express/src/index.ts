export { fallbackMiddleware } from './fallback-middleware.js'
export { ConfigError, createFallback, defineRoutes, isConfigError } from '@understudy/http'

export type { HostRequest, NodeMiddleware } from './fallback-middleware.js'
export type {
  Authorize, AuthorizeAttempt, AuthorizeResult, Caller, CallerRequest, ConfigIssue, FailoverDefaults, Fallback, FallbackEvent,
  FallbackOptions, FallbackSnapshot, Identify, Logger, MountOptions, ProviderInput, ProvidersInput, RouteOptions, RoutesInput,
} from '@understudy/http'
