export type {
  Fallback,
  FallbackSnapshot,
  LegFailureSnapshot,
  MountedFallback,
  RouteSnapshot,
} from './fallback.js'
export type { InboundBody, InboundHeaders, InboundRequest } from './inbound/request.js'
export type { OutboundResponse } from './inbound/response.js'
