export { startSimulator } from './start-simulator.js'
export { selfSignedCertificate } from './self-signed.js'
export { refusedUrl } from './refused-url.js'
export { parseScript } from './script-schema.js'
export { isScriptError, ScriptError } from './script-error.js'
export { HEALTHY_TEXT } from './healthy-text.js'

export type { Simulator, SimulatorOptions } from './start-simulator.js'
export type { WaitOptions } from './call-log.js'
export type { CallEnd, ReceivedCall } from './record.js'
export type { ScriptIssue } from './script-error.js'
export type {
  Answer,
  AwsKeys,
  Chunk,
  ErrorFields,
  Fault,
  Json,
  Script,
  Step,
  StepBody,
  StepBytes,
  StepEvents,
  StepPacing,
  ToolCall,
} from './script.js'
