import { anthropicOnBedrock, anthropicOnVertex } from './anthropic-hosts.js'
import { anthropic } from './anthropic.js'
import { bedrock } from './bedrock.js'
import type { Dialect } from './dialect.js'
import { gemini } from './gemini.js'
import { openai } from './openai.js'
import { responses } from './responses.js'
import { vertex } from './vertex.js'

/** Every dialect, in the order in which they are asked whether a path is theirs. The first one answers strays. */
export const dialects: readonly [Dialect, ...Dialect[]] = [
  openai, responses, anthropic, gemini, bedrock, vertex, anthropicOnBedrock, anthropicOnVertex,
]
