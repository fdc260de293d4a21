import { z } from 'zod'
import type { MountOptions } from '../options.js'
import { nameIssue } from './names.js'
import { bytes } from './numbers.js'
import { boolean, oneOf, wrong } from './rule.js'

/** Members that answers have anyway: a report there would destroy the answer. */
const TAKEN = ['id', 'object', 'type', 'created', 'model', 'choices', 'usage', 'error', 'role', 'content', 'candidates']

function isReportKey(value: unknown): value is string {
  return nameIssue(value) === undefined && !TAKEN.some((key) => key === value) && value !== '__proto__'
}

/** What the adapters take for themselves where the framework has no place of its own for it. */
export const mountHints = {
  prefix: 'is Koa\'s alone; in Express write app.use(\'/prefix\', fallbackMiddleware(...)), '
    + 'in Fastify app.register(fallbackMiddleware(...), { prefix: \'/prefix\' })',
}

/** What may differ between two mounts of the same `Fallback`. */
export const mountOptions = {
  shortPaths: boolean.optional(),
  maxBodyBytes: bytes.optional(),
  envelope: oneOf(['dialect', 'classic']).optional(),
  report: boolean.optional(),
  reportKey: z.custom<string>(isReportKey, {
    error: ({ input }) => wrong(input, `a name that answers do not use themselves (not ${TAKEN.join(', ')})`),
  }).optional(),
  exposeTrail: boolean.optional(),
  exposeProviderMessages: boolean.optional(),
  clientRetries: boolean.optional(),
  exhaustedStatus: oneOf(['by_cause', '429_or_502', '502']).optional(),
} satisfies { readonly [Key in keyof MountOptions]-?: z.ZodType<MountOptions[Key]> }
