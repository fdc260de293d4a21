export { fallbackMiddleware } from './fallback-middleware.js'
export { ConfigError, createFallback, defineRoutes, fileSource, httpSource, isConfigError } from '@understudy/http'

export type { Authorize, Caller, ConfigIssue, Fallback, FallbackEvent, FallbackOptions } from '@understudy/http'
export type { FallbackSnapshot, Identify, Logger, ProviderInput, RouteOptions, RoutesInput } from '@understudy/http'
