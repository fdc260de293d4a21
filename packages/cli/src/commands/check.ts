import type { ConfigIssue, DocumentCheck, KnownChains } from '@understudy/config'
import { checkDocument, isConfigError } from '@understudy/config'
import { routeLines } from '../check/check-lines.js'
import { knownByShape } from '../check/known-by-shape.js'
import { knownOf } from '../check/known-of.js'
import { loadConfig } from '../check/load-config.js'
import { readDocumentFile } from '../check/read-document-file.js'
import type { Call, Command } from '../command.js'
import { EXIT, type ExitCode } from '../exit-code.js'
import { wordsOf } from '../read-arguments.js'
import { EVERYWHERE } from '../shared-options.js'
import { plainText } from '../text-width.js'

/** `understudy check` */
export const check: Command = {
  name: 'check',
  forms: ['<file> [--config <module>]'],
  summary: 'judge a chain document before it is live, without a network and without credentials',
  details: [
    'The module exports routes, and options if it has any, as createFallback takes them; it is run, so let it start nothing.',
    'With it the document is judged as a server would: routes, presets, providers, legs. Without it only the shape is.',
    'A file called - is the standard input. Whether a server has the credentials of a provider is not looked at.',
  ],
  options: [{ name: 'config', value: '<module>', help: 'a JavaScript module, or TypeScript where Node reads it' }, ...EVERYWHERE],
  examples: ['understudy check chains.json --config dist/chains.js', 'understudy check - < chains.json'],
  run: runCheck,
}

interface Verdict {
  readonly issues: readonly ConfigIssue[]
  /** What the issues are about. */
  readonly of: 'document' | 'config'
  readonly checked?: Extract<DocumentCheck, { readonly type: 'checked' }>['document']
}

async function runCheck(call: Call): Promise<ExitCode> {
  const { args, screen, context, isJson } = call
  const [file = ''] = wordsOf(args, 'check', ['file'])
  const config = args.text('config')
  const text = await readDocumentFile(file, context)
  const loaded = config === undefined ? undefined : await loadConfig(config, context.cwd)
  const { issues, of: wrongIn, checked } = judge(text, (document) => (loaded === undefined ? knownByShape(document) : knownOf(loaded.routes, loaded.options)))
  const isFine = issues.length === 0
  // Without a config it is the document itself that everything is made of.
  const of = config === undefined ? 'document' : wrongIn
  const judgedBy = config ?? 'shape'

  if (isJson) {
    screen.json({ ok: isFine, file, judged_by: judgedBy, ...(checked !== undefined && { version: checked.version, routes: [...checked.routes.keys()] }), wrong: isFine ? null : of, issues })
  } else if (checked !== undefined && isFine) {
    const what = config === undefined ? 'has the right shape' : `fits ${config}`
    screen.print(screen.paint('green', `${file}: version ${checked.version} ${what}`), ...routeLines(checked, config === undefined, context.now()))
    if (config === undefined) screen.note('routes, presets, providers and legs were not looked at: give --config <module>')
  } else {
    const what = of === 'config' ? `${judgedBy} cannot be used` : `${file} would be refused`
    screen.print(screen.paint('red', `${what}: ${issues.length === 1 ? '1 issue' : `${issues.length} issues`}`))
    screen.print(...issues.map(({ path, message }) => `  ${plainText(path)}: ${plainText(message)}`))
  }
  return isFine ? EXIT.fine : EXIT.refused
}

function judge(text: string, known: (document: Readonly<Record<string, unknown>>) => KnownChains): Verdict {
  // Nothing is known of a document that is no object: judged by anything it is wrong, and that says why.
  const document = recordIn(text)
  try {
    const judged = checkDocument(document ?? text, known(document ?? {}))
    if (judged.type === 'checked') return { issues: [], of: 'document', checked: judged.document }
    return { issues: judged.issues, of: 'document' }
  } catch (error) {
    if (!isConfigError(error)) throw error
    return { issues: error.issues, of: 'config' }
  }
}

function recordIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}
