/** What JSON need not escape and a terminal would obey or not show: C1 controls, marks of direction, separators of lines. */
const UNSHOWN = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu

/** A value as JSON that says the same to a script and nothing to a terminal. */
export function jsonText(value: unknown, indent?: number): string {
  // Not there at all, as for `undefined`, is null to a script.
  const text = JSON.stringify(value ?? null, null, indent)
  return text.replace(UNSHOWN, (found) => Array.from({ length: found.length }, (_, index) => escaped(found.charCodeAt(index))).join(''))
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`
}
