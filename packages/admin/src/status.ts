import type { Fallback } from '@understudy/http'

import { snakeCase } from './snake-case.js'
import type { Traffic, TrafficCounts } from './traffic.js'

/** What `GET /status` answers, and what a `status` event brings: the snapshot, with what was counted. Content-free. */
export function statusJson(fallback: Fallback, traffic: Traffic, now: number): Readonly<Record<string, unknown>> {
  const snapshot = snakeCase(fallback.snapshot())
  return {
    ...(typeof snapshot === 'object' && snapshot),
    at: now,
    counts: countsJson(traffic.total()),
    minutes: traffic.minutes().map((minute) => ({ at: minute.at, ...countsJson(minute) })),
    happened: traffic.happened().map(snakeCase),
  }
}

/** As lists: the names of routes are those of people. */
function countsJson({ routes, legs }: TrafficCounts): Readonly<Record<string, unknown>> {
  return {
    routes: [...routes].map(([route, counts]) => ({ route, ...counts })),
    legs,
  }
}
