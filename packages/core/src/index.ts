export { createChain } from './chain.js'
export { createSystemClock } from './clock.js'
export { legOf } from './custom-leg.js'
export { ChainFailedError, LegFailedError, isChainFailedError, isLegFailedError } from './errors.js'
export { classify } from './failure/classify.js'
export { failureOf } from './failure/failure.js'
export { kindOfStatus } from './failure/known-errors.js'
export { ADVANCE_SETS, FAILURE_KINDS, advanceKinds, healthOf, nextStep } from './failure/verdict.js'
export { legName } from './leg.js'
export { DEFAULT_MAX_RETRY_AFTER_MS, DEFAULT_RETRY_ON } from './policy/retry.js'
export { phaseOf, reasonOf } from './report.js'
export { chatRequestOf } from './request.js'
export { run } from './run.js'
export { createRunJournal } from './run-journal.js'

export type { Chain, ChainOptions, ChainRun } from './chain.js'
export type { Cancel, Clock } from './clock.js'
export type { CommitPoint } from './commit.js'
export type {
  AttemptFailureEvent,
  AttemptStartEvent,
  FailoverEvent,
  FallbackEvent,
  LegSkippedEvent,
  RunCommitEvent,
  RunEndEvent,
} from './events.js'
export type { Failure, FailureKind, Processed, TimeoutPhase } from './failure/failure.js'
export type { AdvanceSet, NextStep, Verdict } from './failure/verdict.js'
export type { CustomLeg, Leg, LegAnswer, LegContext, LegLimits } from './leg.js'
export type { ChainLimits } from './limits.js'
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
export type { TailEnd } from './tail.js'
