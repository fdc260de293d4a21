import { z } from 'zod'
import { chainDocument } from './document-schema.js'

/** The JSON Schema of the document, for editors: what `chain-document.schema.json` of this package holds. */
export function documentJsonSchema(): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(chainDocument.meta({
    title: 'Understudy chain document',
    description: 'Which chain each route runs. Read by running servers; applied whole, or not at all.',
  }))
}
