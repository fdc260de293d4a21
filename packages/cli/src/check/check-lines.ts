import type { CheckedDocument } from '@understudy/config'
import { NORMAL } from '@understudy/config'
import { showDuration } from '../duration.js'
import { plainText } from '../text-width.js'
import { ago } from '../status/leg-cells.js'

/** What a document that is right would do, a line a route. */
export function routeLines({ routes }: CheckedDocument, isShapeOnly: boolean, now: number): readonly string[] {
  return [...routes].map(([name, { presets, active, expiresAt }]) => {
    const legs = presets.get(active)?.legs ?? []
    const names = legs.map((leg) => (leg.type === 'custom' ? `custom/${leg.leg.name}` : `${leg.provider.name}/${leg.model}`))
    const pin = active === NORMAL ? '' : pinWords(expiresAt, now)
    const preset = presets.size > 1 || active !== NORMAL ? `preset '${active}'${pin}` : 'a chain'
    return `  ${plainText(`${name}: ${preset}${isShapeOnly ? '' : `: ${names.join(', ')}`}`)}`
  })
}

function pinWords(expiresAt: number | undefined, now: number): string {
  if (expiresAt === undefined) return ' for 4h from updated_at'
  return expiresAt > now ? ` for ${showDuration(expiresAt - now)} more` : ` that ended ${ago(expiresAt, now)}, so it applies as 'normal'`
}
