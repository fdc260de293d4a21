import { rule } from './rule.js'

// A timer takes no more: Node fires a longer one at once.
const LONGEST_MS = 2_147_483_647

function isWhole(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
}

const MS = 'a whole number of milliseconds above 0'

/** A limit. */
export const ms = rule(
  (value): value is number => isWhole(value, 1, LONGEST_MS),
  `${MS} (at most ${LONGEST_MS})`,
)

/** A limit that may be 0. */
export const msFromZero = rule(
  (value): value is number => isWhole(value, 0, LONGEST_MS),
  `a whole number of milliseconds, 0 or more (at most ${LONGEST_MS})`,
)

/** A limit that may be switched off. */
export const msOrFalse = rule(
  (value): value is number | false => value === false || isWhole(value, 1, LONGEST_MS),
  `${MS} (at most ${LONGEST_MS}), or false for none`,
)

/** How often. */
export const count = rule(
  (value): value is number => isWhole(value, 0, Number.MAX_SAFE_INTEGER),
  'a whole number, 0 or more',
)

/** How often, and never 0. */
export const atLeastOne = rule(
  (value): value is number => isWhole(value, 1, Number.MAX_SAFE_INTEGER),
  'a whole number above 0',
)

/** A number from 0 on, such as a price or a weight. */
export const fromZero = rule(
  (value): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0,
  'a number, 0 or more',
)

/** Whether a value is a share of something. */
export function share(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 1
}

/** How many bytes. */
export const bytes = rule(
  (value): value is number => isWhole(value, 1, Number.MAX_SAFE_INTEGER),
  'a whole number of bytes above 0',
)
