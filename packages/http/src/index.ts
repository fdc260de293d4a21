export { ConfigError, defineRoutes, isConfigError } from '@understudy/config'
export { createFallback } from './create-fallback.js'

export type {
  Authorize,
  AuthorizeAttempt,
  AuthorizeResult,
  Caller,
  CallerRequest,
  ConfigIssue,
  FailoverDefaults,
  FallbackOptions,
  Identify,
  Logger,
  MountOptions,
  ProviderInput,
  ProvidersInput,
  RouteOptions,
  RoutesInput,
} from '@understudy/config'
export type { BreakerSnapshot, CooldownSnapshot, FallbackEvent } from '@understudy/core'
export type {
  Fallback,
  FallbackSnapshot,
  LegFailureSnapshot,
  LegSnapshot,
  MountedFallback,
  RouteSnapshot,
} from './fallback.js'
export type { InboundBody, InboundHeaders, InboundRequest } from './inbound/request.js'
export type { OutboundResponse } from './inbound/response.js'

// What the adapters stand on. It does not follow semantic versioning.
export { createRouteWarning, registerFault, wrongHost } from './check-mount.js'
export { SURFACE_PATHS } from './inbound/paths.js'
export { normalisePrefix, pathUnder, routedPath } from './inbound/prefix.js'
export { bodySchemaOf } from './inbound/schemas.js'
export { mountFallback } from './mount-fallback.js'
export { isDisconnect } from './node/disconnect.js'
export { readRequest } from './node/read-request.js'
export { splitTarget } from './node/split-target.js'
export { toPayload } from './node/to-readable.js'
export { writeResponse } from './node/write-response.js'

export type { Surface, SurfacePath } from './inbound/paths.js'
export type { NodeClient } from './node/disconnect.js'
export type { NodeRequest, RequestTarget } from './node/read-request.js'
