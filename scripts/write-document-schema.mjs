// Writes packages/config/chain-document.schema.json from the zod schema. Run it behind a build when the schema has changed.
import { writeFileSync } from 'node:fs'

import { documentJsonSchema } from '../packages/config/dist/index.js'

const file = new URL('../packages/config/chain-document.schema.json', import.meta.url)
writeFileSync(file, `${JSON.stringify(documentJsonSchema(), undefined, 2)}\n`)
