export { ChainFailedError, LegFailedError, isChainFailedError, isLegFailedError } from './errors.js'
export { failureOf } from './failure/failure.js'
export { ADVANCE_SETS, FAILURE_KINDS, advanceKinds, healthOf, nextStep } from './failure/verdict.js'
export { legName } from './leg.js'
export { phaseOf, reasonOf } from './report.js'

export type { Cancel, Clock } from './clock.js'
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
  Part,
  ReasoningPart,
  RefusalPart,
  StartPart,
  TextPart,
  ToolCallPart,
  Usage,
  UsagePart,
} from './part.js'
export type { AttemptRecord, SkipReason } from './report.js'
export type {
  ChatRequest,
  ContentBlock,
  Dialect,
  MediaSource,
  Message,
  Tool,
  ToolCall,
  ToolChoice,
} from './request.js'
