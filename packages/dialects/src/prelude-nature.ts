import type { Part } from '@understudy/core'

/** What a part is to the prelude of an answer: the output that ends it, an end without output, or more of it. */
export function preludeNature(part: Part): 'output' | 'end' | 'prelude' {
  switch (part.type) {
    case 'text':
    case 'reasoning':
    case 'refusal':
      return part.text === '' ? 'prelude' : 'output'
    case 'tool-call':
      return part.arguments === '' && (part.name ?? '') === '' ? 'prelude' : 'output'
    case 'media':
      return 'output'
    case 'finish':
    case 'end':
    case 'error':
      return 'end'
    case 'start':
    case 'usage':
      return 'prelude'
  }
}
