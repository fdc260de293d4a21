import type { Script, Step } from './script.js'

/** The step for a call. */
export interface Choice {
  readonly step: Step
  readonly index: number
}

/** Which step the next call of each model gets; counts the calls. */
export interface StepChooser {
  /** Takes the next step of a model; undefined if the script does not know it. */
  next(model: string): Choice | undefined
}

/** Without any script every model is healthy. */
export function createStepChooser(script: Script | undefined, now: () => number): StepChooser {
  const positions = new Map<string, Position>()
  const healthy: Step = {}

  function stepsOf(model: string): readonly Step[] | undefined {
    if (script?.models !== undefined && Object.hasOwn(script.models, model)) return script.models[model]
    const fallback = script === undefined ? healthy : script.fallback
    return fallback && [fallback]
  }

  return {
    next: (model) => {
      const steps = stepsOf(model)
      if (steps === undefined) return undefined
      const position = positions.get(model) ?? { index: 0, played: 0, since: now() }
      positions.set(model, position)
      return advance(position, steps, now())
    },
  }
}

interface Position {
  index: number
  played: number
  since: number
}

function advance(position: Position, steps: readonly Step[], nowMs: number): Choice | undefined {
  const step = steps[position.index]
  if (step === undefined) return undefined
  const isLast = position.index === steps.length - 1
  const isOver = step.forMs === undefined
    ? position.played >= (step.times ?? 1)
    : position.played > 0 && nowMs - position.since >= step.forMs
  if (isOver && !isLast) {
    Object.assign(position, { index: position.index + 1, played: 0, since: nowMs })
    return advance(position, steps, nowMs)
  }
  position.played += 1
  return { step, index: position.index }
}
