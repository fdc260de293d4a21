export { fallbackMiddleware } from './fallback-middleware.js'
export {
  ChainControlError, ConfigError, createFallback, createMemoryStore, defineRoutes, DrillError, failureOf, fileSource, httpSource,
  isChainControlError, isConfigError, isDrillError, isLegFailedError, isVersionConflictError, LegFailedError, VersionConflictError,
} from '@understudy/http'

export type {
  AdvanceSet, ApiKeyInput, Authorize, AuthorizeAttempt, AuthorizeResult, AwsCredentials, BreakerOptions, BreakerSnapshot, Caller,
  CallerRequest, ChainControl, ChainControlCode, ChainDocument, ChainDocumentJson, ChainLayer, ChainSnapshot, ChainSource, ChangeAuthor,
  ChangeResult, ChatRequest, CommitPoint, ConfigIssue, CooldownSnapshot, CustomLeg, CustomLegInput, DocumentWrite, DrillCode, DrillControl,
  DrillEnding, DrillRequest, DrillSnapshot, EmbeddingRouteOptions, FailoverDefaults, FailureKind, Fallback, FallbackEvent, FallbackOptions,
  FallbackSnapshot, FileSourceOptions, HeaderInput, HealthStore, HistoryEntry, HistoryQuery, HttpSourceOptions, Identify, InboundBody,
  InboundHeaders, InboundRequest, LegFailureSnapshot, LegInput, LegSnapshot, LegTrial, LiveChainsOptions, LiveSnapshot, Logger,
  MountedFallback, MountOptions, Order, OrderCandidate, OrderFunction, OutboundResponse, Part, PinRequest, PresetOptions, PresetsInput,
  PresetSnapshot, PriceHints, ProviderInput, ProviderLegInput, ProvidersInput, RestoreRequest, RevertPreview, RouteChange, RouteOptions,
  RouteSettings, RoutesInput, RouteSnapshot, RouteState, SharedHealthOptions, SourceReading, StartedDrill, TrialOptions,
} from '@understudy/http'
