/** What was measured: for each target and figure one value a round. */
export function createFigures() {
  const values = new Map()
  const of = (target, figure) => values.get(`${target}/${figure}`) ?? []
  return {
    add: (target, round, figures) => {
      for (const [figure, value] of Object.entries(figures)) {
        if (Number.isNaN(value)) continue
        const key = `${target}/${figure}`
        if (!values.has(key)) values.set(key, [])
        values.get(key)[round] = value
      }
    },
    of,
    /** Round by round, `combine` of two figures that were measured in the same round. */
    pairs: ([target, figure], [otherTarget, otherFigure], combine) => {
      const others = of(otherTarget, otherFigure)
      return of(target, figure).flatMap((value, round) => (others[round] === undefined ? [] : [combine(value, others[round])]))
    },
  }
}

export const ratio = (value, other) => value / other
export const difference = (value, other) => value - other

/** Median, smallest and largest; undefined of nothing. */
export function summary(values) {
  if (values.length === 0) return undefined
  const sorted = [...values].sort((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return {
    median: (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2,
    min: sorted[0],
    max: sorted[sorted.length - 1],
  }
}
