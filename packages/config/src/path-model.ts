import type { ResolvedProvider } from './resolved-config.js'
import { quote } from './show.js'

const DOT_SEGMENT = /(?:^|[\\/]|%2f|%5c)(?:\.|%2e){1,2}(?:$|[\\/]|%2f|%5c)/i

/**
 * Whether a model's name can stand in a path. One with a segment `.` or `..` cannot, however it is written: servers and proxies
 * decode a path before they resolve it, some of them twice.
 */
export function hasPathName(model: string): boolean {
  return model !== '' && !DOT_SEGMENT.test(model)
}

/** Whether the model stands in the path, so that each model has an endpoint of its own. */
export function modelInPath({ azure, cloud, dialect }: ResolvedProvider): boolean {
  return cloud !== undefined || (azure !== undefined && dialect === 'openai') || dialect === 'gemini' || dialect === 'bedrock'
}

/** What is wrong with a model that a provider is to be asked for; nothing if it can be. */
export function modelFault(provider: ResolvedProvider, model: string): string | undefined {
  if (!modelInPath(provider) || hasPathName(model)) return undefined
  return `provider ${quote(provider.name)}: the model ${quote(model)} cannot stand in a path`
}
