export { cloudBaseURL } from './cloud.js'
export { ConfigError, isConfigError } from './config-error.js'
export { credentialName } from './credential-name.js'
export { defineRoutes } from './define-routes.js'
export { checkDocument, NORMAL } from './document/check-document.js'
export { documentJsonSchema } from './document/document-json-schema.js'
export { chainDocument, MOST_VERSION } from './document/document-schema.js'
export { shownLeg } from './document/leg-name.js'
export {
  entryIn,
  markedDocument,
  presetNames,
  routesIn,
  selectingEntry,
  stampedRoutes,
  withEntry,
} from './live/edit-document.js'
export { shownPreset } from './live/effective-routes.js'
export { createLiveChains } from './live/live-chains.js'
export { PIN_MS } from './live/pins.js'
export { changesRoute, entryBefore, isSameSelection } from './live/route-change.js'
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
export type { CloudCredentials, CloudName, GoogleToken, ResolvedBedrock, ResolvedCloud, ResolvedVertex } from './cloud.js'
export type { ConfigIssue } from './config-error.js'
export type { DefinedEmbeddings, DefinedLegs, DefinedPreset, DefinedPresets, DefinedRoute } from './define-routes.js'
export type { CheckedDocument, CheckedRoute, DocumentCheck } from './document/check-document.js'
export type { ChainDocument, LegEntry, PresetEntry, RouteEntry } from './document/document-schema.js'
export type { KnownChains, NamedLeg } from './document/known-chains.js'
export type { ChangeMark, RouteJson } from './live/edit-document.js'
export type { ChainLayer, HeldDocument, LiveChains, LiveStatus, RunningChains } from './live/live-chains.js'
export type { LiveHost, Tell } from './live/live-host.js'
export type { Pin } from './live/pins.js'
export type { Rejection } from './live/rejections.js'
export type { IgnoredDocument } from './live/source-news.js'
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
export { isVersionConflictError, VersionConflictError } from './live/chain-source.js'
export type { FileSourceOptions } from './live/file-source.js'
export { fileSource } from './live/file-source.js'
export type {
  Envelope,
  ExhaustedStatus,
  FallbackOptions,
  LiveChainsOptions,
  MountOptions,
  PriceHints,
  SharedHealthOptions,
} from './options.js'
export type { ApiKeyInput, AwsCredentials, AwsCredentialsInput, ProviderInput, ProvidersInput, Sign, SignedHeaders } from './provider-input.js'
export type { ConfigContext } from './resolve-config.js'
export type {
  ResolvedCallers,
  ResolvedConfig,
  ResolvedCustomLeg,
  ResolvedEmbeddingLeg,
  ResolvedEmbeddingRoute,
  ResolvedHealth,
  ResolvedLeg,
  ResolvedLive,
  ResolvedMount,
  ResolvedPreset,
  ResolvedProvider,
  ResolvedProviderLeg,
  ResolvedProxy,
  ResolvedRoute,
  ResolvedRouteSettings,
} from './resolved-config.js'
export type {
  BufferedVia,
  CustomLegInput,
  EmbeddingLegInput,
  EmbeddingLegOptions,
  EmbeddingRouteOptions,
  EmbeddingRouteSettings,
  Idempotency,
  LegInput,
  ParameterDefaults,
  PresetOptions,
  PresetsInput,
  ProviderLegInput,
  RouteOptions,
  RouteSettings,
  RoutesInput,
  Translate,
  Untranslatable,
  WaitingComment,
} from './routes-input.js'

// What the sources of other packages stand on. It does not follow semantic versioning.
export { decodeText, encodeDocument, isJson, MAX_DOCUMENT_BYTES, refuseTooLarge } from './live/document-text.js'
export { identifyEntry, readHistoryEntry, writtenEntry } from './live/history-record.js'
export { checkSourceOptions, TEXT, wholeNumber } from './live/source-options.js'
export { storedVersion } from './live/stored-version.js'
export { troubleOf } from './live/trouble.js'
export { untilAborted } from './live/until-aborted.js'
export { isConnectionHeader } from './connection-headers.js'
export { hasPathName, modelFault, modelInPath } from './path-model.js'
export { isUnwritten } from './live/unwritten.js'
export { whereNoJson } from './json-place.js'
export { oneLine, quote } from './show.js'
export { nearestName, suggestName } from './nearest-name.js'
export type { HistoryIdentity } from './live/history-record.js'
export type { SourceOption } from './live/source-options.js'
