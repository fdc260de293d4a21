const form = /^@(http-date|rfc850-date|asctime-date|iso-date|epoch-seconds):([+-]\d+)(ms|s|m)$/
const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 }
const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** What a header value of a script may be, for messages. */
export const headerForms = '@http-date:+2s, @rfc850-date:, @asctime-date:, @iso-date:, @epoch-seconds: or @auto'

/** Whether a value starts like one to be filled in but is none. */
export function isUnknownForm(value: string): boolean {
  return /^@[a-z0-9-]+(:|$)/.test(value) && value !== '@auto' && !form.test(value)
}

/** Fills in `@http-date:+2s` and its like; anything else is returned as it is. */
export function fillHeaderValue(value: string, nowMs: number): string {
  const match = form.exec(value)
  if (match === null) return value
  const [, kind = '', amount = '0', unit = 's'] = match
  return dateText(kind, new Date(nowMs + Number(amount) * (unitMs[unit] ?? 1_000)))
}

function dateText(kind: string, date: Date): string {
  const http = date.toUTCString()
  const [, day = '', month = '', year = '', time = ''] = http.split(' ')
  switch (kind) {
    case 'rfc850-date':
      return `${days[date.getUTCDay()] ?? ''}, ${day}-${month}-${year.slice(2)} ${time} GMT`
    case 'asctime-date':
      return `${http.slice(0, 3)} ${month} ${String(date.getUTCDate()).padStart(2, ' ')} ${time} ${year}`
    case 'iso-date':
      return date.toISOString()
    case 'epoch-seconds':
      return String(Math.ceil(date.getTime() / 1_000))
    default:
      return http
  }
}
