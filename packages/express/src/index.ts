export { fallbackMiddleware } from './fallback-middleware.js'
export {
  ChainControlError, ConfigError, createFallback, defineRoutes, DrillError, fileSource, httpSource, isChainControlError, isConfigError,
  isDrillError, isVersionConflictError, VersionConflictError,
} from '@understudy/http'

export type { HostRequest, NodeMiddleware } from './fallback-middleware.js'
export type {
  Authorize, AuthorizeAttempt, AuthorizeResult, AwsCredentials, BreakerSnapshot, Caller, CallerRequest, ChainControl, ChainControlCode,
  ChainDocument, ChainLayer, ChainSnapshot, ChainSource, ChangeAuthor, ChangeResult, ConfigIssue, CooldownSnapshot, DrillCode, DrillControl,
  DrillEnding, DrillRequest, DrillSnapshot, FailoverDefaults, Fallback, FallbackEvent, FallbackOptions, FallbackSnapshot, FileSourceOptions,
  HeaderInput, HealthStore, HistoryEntry, HttpSourceOptions, Identify, InboundBody, InboundHeaders, InboundRequest, LegFailureSnapshot,
  LegSnapshot, LegTrial, LiveChainsOptions, LiveSnapshot, Logger, MountedFallback, MountOptions, OutboundResponse, PinRequest, PresetOptions,
  PresetsInput, PresetSnapshot, ProviderInput, ProvidersInput, RestoreRequest, RevertPreview, RouteChange, RouteOptions, RoutesInput,
  RouteSnapshot, RouteState, SharedHealthOptions, StartedDrill, TrialOptions,
} from '@understudy/http'
