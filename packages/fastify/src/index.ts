export { fallbackMiddleware } from './fallback-middleware.js'
export { createFallback, defineRoutes } from '@understudy/http'

export type { Fallback, FallbackEvent, FallbackOptions, FallbackSnapshot, RoutesInput } from '@understudy/http'
