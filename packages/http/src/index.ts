export { ConfigError, defineRoutes, fileSource, isConfigError, isVersionConflictError, VersionConflictError } from '@understudy/config'
export { createMemoryStore, failureOf, isLegFailedError, LegFailedError } from '@understudy/core'
export { createFallback } from './create-fallback.js'
export { DrillError, isDrillError } from './drills/drill-error.js'
export { httpSource } from './live/http-source.js'
export { ChainControlError, isChainControlError } from './live/chain-control-error.js'

export type {
  ApiKeyInput,
  Authorize,
  AuthorizeAttempt,
  AuthorizeResult,
  AwsCredentials,
  Caller,
  CallerRequest,
  ChainDocument,
  ChainDocumentJson,
  ChainLayer,
  ChainSource,
  ConfigIssue,
  CustomLegInput,
  DocumentWrite,
  EmbeddingRouteOptions,
  FailoverDefaults,
  FallbackOptions,
  FileSourceOptions,
  HistoryEntry,
  HistoryQuery,
  Identify,
  LegInput,
  LiveChainsOptions,
  Logger,
  MountOptions,
  PresetOptions,
  PresetsInput,
  PriceHints,
  ProviderInput,
  ProviderLegInput,
  ProvidersInput,
  RouteOptions,
  RouteSettings,
  RoutesInput,
  SharedHealthOptions,
  SourceReading,
} from '@understudy/config'
export type {
  AdvanceSet,
  BreakerOptions,
  BreakerSnapshot,
  ChatRequest,
  CommitPoint,
  CooldownSnapshot,
  CustomLeg,
  FailureKind,
  FallbackEvent,
  HealthStore,
  Order,
  OrderCandidate,
  OrderFunction,
  Part,
} from '@understudy/core'
export type { DrillControl, DrillEnding, DrillRequest, DrillSnapshot, StartedDrill } from './drills/drill-control.js'
export type { DrillCode } from './drills/drill-error.js'
export type {
  Fallback,
  FallbackSnapshot,
  LegFailureSnapshot,
  LegSnapshot,
  MountedFallback,
  PresetSnapshot,
  RouteSnapshot,
} from './fallback.js'
export type {
  ChainControl,
  ChangeAuthor,
  ChangeResult,
  LegTrial,
  PinRequest,
  RestoreRequest,
  RevertPreview,
  RouteChange,
  RouteState,
  TrialOptions,
} from './live/chain-control.js'
export type { ChainControlCode } from './live/chain-control-error.js'
export type { ChainSnapshot, LiveSnapshot } from './live/chain-snapshot.js'
export type { InboundBody, InboundHeaders, InboundRequest } from './inbound/request.js'
export type { OutboundResponse } from './inbound/response.js'
export type { HttpSourceOptions } from './live/http-source.js'
export type { HeaderInput } from './live/http-source-target.js'

// What the adapters stand on. It does not follow semantic versioning.
export { checkSourceOptions, suggestName } from '@understudy/config'
export { thrownWords } from './authorize-faults.js'
export { createBegunFault, createPrefixWarning, createRouteWarning, registerFault, wrongHost } from './check-mount.js'
export { SURFACE_PATHS } from './inbound/paths.js'
export { normalisePrefix, pathUnder, routedPath } from './inbound/prefix.js'
export { bodySchemaOf } from './inbound/schemas.js'
export { mountFallback } from './mount-fallback.js'
export { expectDisconnect } from './node/expect-disconnect.js'
export { hostNext } from './node/host-next.js'
export { readRequest } from './node/read-request.js'
export { sendReply } from './node/send-reply.js'
export { splitTarget } from './node/split-target.js'
export { toPayload } from './node/to-readable.js'
export { writeResponse } from './node/write-response.js'

export type { HostNext } from './node/host-next.js'
export type { HostFault } from './authorize-faults.js'
export type { Client } from './inbound/client.js'
export type { Surface, SurfacePath } from './inbound/paths.js'
export type { NodeClient } from './node/disconnect.js'
export type { NodeRequest, RequestTarget } from './node/read-request.js'
export type { Warn } from './warnings.js'
