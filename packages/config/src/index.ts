export { ConfigError, isConfigError } from './config-error.js'
export { credentialName } from './credential-name.js'
export { defineRoutes } from './define-routes.js'
export { isReasoningModel } from './reasoning-models.js'
export { resolveConfig } from './resolve-config.js'
export { resolveMount } from './resolve-mount.js'

export type {
  Authorize,
  AuthorizeAttempt,
  AuthorizeResult,
  Caller,
  CallerOptions,
  CallerRequest,
  CallerResult,
  FailoverDefaults,
  Identify,
} from './caller-options.js'
export type { ConfigIssue } from './config-error.js'
export type { DefinedLegs, DefinedRoute } from './define-routes.js'
export type { Logger, LogLine } from './logger.js'
export type {
  ChainDocumentJson,
  ChainSource,
  DocumentWrite,
  HistoryEntry,
  HistoryOutcome,
  HistoryQuery,
  SourceReading,
} from './live/chain-source.js'
export { VersionConflictError } from './live/chain-source.js'
export type { Envelope, ExhaustedStatus, FallbackOptions, MountOptions, PriceHints } from './options.js'
export type { ApiKeyInput, ProviderInput, ProvidersInput, Sign, SignedHeaders } from './provider-input.js'
export type { ConfigContext } from './resolve-config.js'
export type {
  ResolvedCallers,
  ResolvedConfig,
  ResolvedCustomLeg,
  ResolvedHealth,
  ResolvedLeg,
  ResolvedMount,
  ResolvedProvider,
  ResolvedProviderLeg,
  ResolvedProxy,
  ResolvedRoute,
  ResolvedRouteSettings,
} from './resolved-config.js'
export type {
  BufferedVia,
  CommitPoint,
  CustomLegInput,
  Idempotency,
  LegInput,
  ParameterDefaults,
  ProviderLegInput,
  RouteOptions,
  RouteSettings,
  RoutesInput,
  Untranslatable,
  WaitingComment,
} from './routes-input.js'
