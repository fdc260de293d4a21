/** One thing that is wrong with a script. */
export interface ScriptIssue {
  /** Where, as one would write it: `models.gpt[0].fault.do`. */
  readonly path: string
  /** What came and what would be right. */
  readonly message: string
}

const marker = Symbol.for('understudy.simulator.script-error')

/** A script that the simulator cannot play. Nothing of it was applied. */
export class ScriptError extends Error {
  override readonly name = 'ScriptError'
  readonly code = 'SIMULATOR_SCRIPT_INVALID'
  readonly issues: readonly ScriptIssue[]
  readonly [marker] = true

  constructor(issues: readonly ScriptIssue[]) {
    super(`the script is not valid\n${issues.map(({ path, message }) => `  ${path}: ${message}`).join('\n')}`)
    this.issues = issues
  }
}

/** Whether something thrown is a `ScriptError`, whichever copy of this package threw it. */
export function isScriptError(error: unknown): error is ScriptError {
  try {
    return typeof error === 'object' && error !== null && Reflect.get(error, marker) === true
  } catch {
    // A getter or a proxy of a stranger threw: whatever it is, it is none of ours.
    return false
  }
}
