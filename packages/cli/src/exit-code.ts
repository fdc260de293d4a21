/** What the command ends with. Stable: scripts rely on it. */
export const EXIT = {
  fine: 0,
  /** The document is wrong, the server said no, or a leg did not answer. */
  refused: 1,
  /** A misspelt command, a missing option, a file that is not there. */
  wrongUse: 2,
  /** Nobody listens, no answer in time, an answer that is none of ours, or a store that is away. */
  unreachable: 3,
  /** Somebody was quicker: another version is live than the one that was expected. */
  conflict: 4,
  /** Not known there, or not allowed. */
  forbidden: 5,
  interrupted: 130,
  terminated: 143,
} as const

/** One of the exit codes. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** What each means, for `--help`. */
export const EXIT_MEANINGS: readonly (readonly [code: ExitCode, meaning: string])[] = [
  [EXIT.fine, 'fine'],
  [EXIT.refused, 'refused or wrong: a document with issues, a change that the server did not make, a leg that did not answer'],
  [EXIT.wrongUse, 'called wrongly'],
  [EXIT.unreachable, 'no answer that can be used: not reachable, too slow, not the control surface, or its store is away'],
  [EXIT.conflict, 'somebody was quicker: another version is live than --expect said'],
  [EXIT.forbidden, 'the server does not let you'],
  [EXIT.interrupted, 'ended by SIGINT (143: by SIGTERM)'],
]
