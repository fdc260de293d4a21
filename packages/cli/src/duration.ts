import { quote } from '@understudy/config'

const UNITS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 } as const
const RIGHT = 'write 90s, 45m, 2h or 1h30m'

/** A duration as a person writes it, or what is wrong with that. */
export type ReadDuration = { readonly ms: number } | { readonly wrong: string }

/** Reads `45m`, `2h`, `90s`, `1d`, or several of them: `1h30m`. */
export function readDuration(text: string): ReadDuration {
  const written = text.trim().toLowerCase()
  if (/^\d+(?:\.\d+)?$/.test(written)) return { wrong: `${quote(text)} has no unit; ${RIGHT}` }
  const parts = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(written)
  if (parts === null || written === '') return { wrong: `${quote(text)} is no duration; ${RIGHT}` }
  const counts = parts.slice(1).map((count: string | undefined) => Number(count ?? 0))
  const ms = Object.values(UNITS).reduce((sum, unit, index) => sum + unit * (counts[index] ?? 0), 0)
  if (ms === 0) return { wrong: `${quote(text)} is no time at all; ${RIGHT}` }
  return Number.isSafeInteger(ms) ? { ms } : { wrong: `${quote(text)} is longer than can be counted` }
}

/** Nobody counts the seconds of what is longer. */
const FINE_MS = 600_000

/** A duration as a person reads it, in its two largest units: `2h 5m`. */
export function showDuration(ms: number): string {
  const grain = ms < FINE_MS ? UNITS.s : UNITS.m
  let rest = Math.max(0, Math.round(ms / grain)) * grain
  const parts: string[] = []
  for (const [unit, size] of Object.entries(UNITS)) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0) parts.push(`${count}${unit}`)
    else if (parts.length > 0) break
    if (parts.length === 2) break
  }
  return parts.length === 0 ? '0s' : parts.join(' ')
}
