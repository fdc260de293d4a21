/** A provider that asks for longer is asked again after this long. */
const MAX_RETRY_AFTER_MS = 5 * 60 * 1000

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

// RFC 9110, 5.6.7: a recipient accepts all three.
const IMF_FIXDATE = /^(?:mon|tue|wed|thu|fri|sat|sun), (\d\d) ([a-z]{3}) (\d{4}) (\d\d):(\d\d):(\d\d) gmt$/
const RFC_850 = /^(?:mon|tues|wednes|thurs|fri|satur|sun)day, (\d\d)-([a-z]{3})-(\d\d) (\d\d):(\d\d):(\d\d) gmt$/
const ASCTIME = /^(?:mon|tue|wed|thu|fri|sat|sun) ([a-z]{3}) ([ \d]\d) (\d\d):(\d\d):(\d\d) (\d{4})$/

/**
 * How long a provider asks us to wait, in milliseconds: `retry-after-ms`, else `retry-after` in seconds or as a date in
 * any of its three forms. At most 5 minutes; 0 for a date that is past; `undefined` for a header that is absent or
 * cannot be read. Header names in lower case; `now` in milliseconds since the epoch.
 */
export function readRetryAfterMs(
  headers: Readonly<Record<string, string | undefined>>,
  now: number,
): number | undefined {
  const waitMs = readNumber(headers['retry-after-ms'], 1) ?? readRetryAfter(headers['retry-after'], now)
  return waitMs === undefined ? undefined : Math.min(Math.max(Math.ceil(waitMs), 0), MAX_RETRY_AFTER_MS)
}

function readRetryAfter(value: string | undefined, now: number): number | undefined {
  const waitMs = readNumber(value, 1000)
  if (waitMs !== undefined) return waitMs
  const date = readHttpDate(value ?? '', now)
  return date === undefined ? undefined : date - now
}

function readNumber(value: string | undefined, unitMs: number): number | undefined {
  const digits = value?.trim() ?? ''
  return /^\d+(?:\.\d+)?$/.test(digits) ? Number(digits) * unitMs : undefined
}

function readHttpDate(value: string, now: number): number | undefined {
  const text = value.trim().toLowerCase()
  const fixdate = IMF_FIXDATE.exec(text)
  if (fixdate !== null) {
    const [, day, month, year, ...time] = fixdate
    return toEpochMs(Number(year), month, day, time)
  }
  const rfc850 = RFC_850.exec(text)
  if (rfc850 !== null) {
    const [, day, month, year, ...time] = rfc850
    return toEpochMs(fullYear(Number(year), now), month, day, time)
  }
  const asctime = ASCTIME.exec(text)
  if (asctime === null) return undefined
  const [, month, day, hour, minute, second, year] = asctime
  return toEpochMs(Number(year), month, day, [hour, minute, second])
}

/** The latest year that ends in these digits and is at most 50 years ahead. */
function fullYear(twoDigits: number, now: number): number {
  const latest = new Date(now).getUTCFullYear() + 50
  return latest - ((latest - twoDigits) % 100)
}

function toEpochMs(
  year: number,
  monthName: string | undefined,
  day: string | undefined,
  time: readonly (string | undefined)[],
): number | undefined {
  const month = MONTHS.indexOf(monthName ?? '')
  const [hour = NaN, minute = NaN, second = NaN] = time.map(Number)
  if (month === -1 || !(hour < 24) || !(minute < 60) || !(second <= 60)) return undefined
  const date = new Date(Date.UTC(year, month, Number(day), hour, minute, second))
  // A day that its month does not have rolls over into the next one.
  return date.getUTCMonth() === month || second === 60 ? date.getTime() : undefined
}
