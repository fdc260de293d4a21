import type { CheckedDocument } from '@understudy/config'
import { entryIn, NORMAL, PIN_MS } from '@understudy/config'
import { showDuration } from '../duration.js'
import { plainText } from '../text-width.js'
import { ago } from '../status/leg-cells.js'

/** What a document that is right would do, a line a route. */
export function routeLines({ routes, json, updatedAt }: CheckedDocument, isShapeOnly: boolean, now: number): readonly string[] {
  return [...routes].map(([name, { presets, active, expiresAt }]) => {
    const legs = presets.get(active)?.legs ?? []
    const names = legs.map((leg) => (leg.type === 'custom' ? `custom/${leg.leg.name}` : `${leg.provider.name}/${leg.model}`))
    const pin = active === NORMAL ? '' : pinWords(expiresAt, updatedAt, now)
    const preset = entryIn(json, name)?.['chain'] === undefined ? `preset '${active}'${pin}` : 'a chain'
    return `  ${plainText(`${name}: ${preset}${isShapeOnly ? '' : `: ${names.join(', ')}`}`)}`
  })
}

function pinWords(written: number | undefined, updatedAt: number | undefined, now: number): string {
  // One that is ahead of the clock here counts from the first application.
  const expiresAt = written ?? (updatedAt === undefined || updatedAt > now ? undefined : updatedAt + PIN_MS)
  const other = written === undefined ? ', which expires_at can change' : ''
  if (expiresAt === undefined) return ` for 4h from its first application, then 'normal'${other}`
  if (expiresAt <= now) return ` that ended ${ago(expiresAt, now)}, so it applies as 'normal'${other}`
  return ` until ${new Date(expiresAt).toISOString()} (${showDuration(expiresAt - now)} more), then 'normal'${other}`
}
