export { DEFAULT_BREAKER, DEFAULT_RATIO, breakerSettings } from './breaker/breaker-settings.js'
export { configuredLeg, legKey } from './breaker/leg-key.js'
export { createMemoryStore } from './breaker/memory-store.js'
export { createHealthRegistry } from './breaker/registry.js'
export { createChain } from './chain.js'
export { createSystemClock } from './clock.js'
export { legOf } from './custom-leg.js'
export { ChainFailedError, LegFailedError, isChainFailedError, isLegFailedError, legFailed } from './errors.js'
export { classify } from './failure/classify.js'
export { isDrilledFailure } from './failure/drilled-failure.js'
export { failureOf } from './failure/failure.js'
export { kindOfStatus } from './failure/known-errors.js'
export { ADVANCE_SETS, FAILURE_KINDS, advanceKinds, healthOf, nextStep } from './failure/verdict.js'
export { legName } from './leg.js'
export { attemptLimits, minAttempt } from './limits.js'
export { AS_CONFIGURED, makePlan } from './plan.js'
export { createLatencies } from './policy/latencies.js'
export { ORDERS } from './policy/order.js'
export { DEFAULT_MAX_RETRY_AFTER_MS, DEFAULT_RETRY_ON } from './policy/retry.js'
export { phaseOf, reasonOf } from './report.js'
export { chatRequestOf } from './request.js'
export { run } from './run.js'
export { createRunJournal } from './run-journal.js'

export type { Admission, AdmissionTicket } from './breaker/admission.js'
export type { BreakerStatus } from './breaker/breaker.js'
export type { BreakerClosedEvent, BreakerEvent, BreakerHalfOpenEvent, BreakerOpenEvent } from './breaker/breaker-events.js'
export type { BreakerOptions, BreakerSettings } from './breaker/breaker-settings.js'
export type { Rest } from './breaker/cooldowns.js'
export type { Counts } from './breaker/counts.js'
export type { HealthConfig, HealthOptions, ProviderHealth } from './breaker/health-options.js'
export type { BreakerSnapshot, CooldownSnapshot, HealthSnapshot } from './breaker/health-snapshot.js'
export type { HealthStore, StoreAdmission } from './breaker/health-store.js'
export type { LegIdentity } from './breaker/leg-key.js'
export type { RatioOptions, RatioSettings } from './breaker/ratio.js'
export type { HealthRegistry } from './breaker/registry.js'
export type { AdmitOptions, LegAdmission, LegHealth, Permit, Refusal, RunHealth } from './breaker/run-health.js'
export type { MemoryStoreHost } from './breaker/memory-store.js'
export type { StorePatience, StoreProblem } from './breaker/store-link.js'
export type { Chain, ChainOptions, ChainRun } from './chain.js'
export type { Cancel, Clock } from './clock.js'
export type { CommitPoint } from './commit.js'
export type {
  AttemptFailureEvent,
  AttemptStartEvent,
  ChainAppliedEvent,
  ChainChange,
  ChainEvent,
  ChainRejectedEvent,
  ChainRevertedEvent,
  DrillEndCause,
  DrillEndEvent,
  DrillFault,
  DrillStartEvent,
  FailoverEvent,
  FallbackEvent,
  Lane,
  LegMisconfiguredEvent,
  LegSkippedEvent,
  PinActiveLongEvent,
  PinExpiredEvent,
  PinExpiringEvent,
  RunCommitEvent,
  RunEndEvent,
  RunEvents,
} from './events.js'
export type { Failure, FailureDetails, FailureKind, Processed, TimeoutPhase } from './failure/failure.js'
export type { AdvanceSet, NextStep, Verdict } from './failure/verdict.js'
export type { CustomLeg, Leg, LegAnswer, LegContext, LegLimits } from './leg.js'
export type { AttemptLimits, AttemptSituation, ChainLimits } from './limits.js'
export type {
  Arrival,
  EndPart,
  ErrorPart,
  FinishPart,
  FinishReason,
  MediaPart,
  Part,
  ReasoningPart,
  RefusalPart,
  StartPart,
  TextPart,
  ToolCallPart,
  Usage,
  UsagePart,
} from './part.js'
export type { NoLegAvailable, Plan, PlanInput, PlannedSkip, PlanSettings } from './plan.js'
export type { Latencies } from './policy/latencies.js'
export type { Order, OrderCandidate, OrderFunction, OrderProblem } from './policy/order.js'
export type { RetryPolicy } from './policy/retry.js'
export type { AttemptRecord, SkipReason } from './report.js'
export type {
  ChatRequest,
  ChatRequestInput,
  ContentBlock,
  Dialect,
  MediaSource,
  Message,
  ResponseFormat,
  Tool,
  ToolCall,
  ToolChoice,
} from './request.js'
export type { CommittedRun, FailedRun, GateRefusal, RunHost, RunOutcome, RunSettings } from './run.js'
export type { RunIdentity, RunJournal } from './run-journal.js'
export type { StopSignal } from './stop-signal.js'
export type { TailEnd } from './tail.js'

// What our own packages stand on. It does not follow semantic versioning.
export { isMarked } from './errors.js'
export { isThenable, runHostCode } from './host-code.js'
export { isRecord } from './is-record.js'
export { directOf, promised, READ, readByPromise } from './iterable.js'
export { toldName } from './told-name.js'
export { youngList } from './young-list.js'
export type { DirectIterator, ItemReader } from './iterable.js'
