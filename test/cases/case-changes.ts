import type { Case, CaseChunk, CaseLeg } from './case.js'

/** The first leg, changed so. */
export function firstLeg({ upstream }: Case, change: Partial<CaseLeg>): Partial<Case> {
  const [first, ...others] = upstream
  return { upstream: first === undefined ? [] : [{ ...first, ...change }, ...others] }
}

/** The first leg sends these. */
export function chunks(given: Case, played: readonly CaseChunk[]): Partial<Case> {
  return firstLeg(given, { chunks: played })
}

/** The first leg answers with this message. */
export function message(given: Case, content: object): Partial<Case> {
  const choice = { index: 0, message: { role: 'assistant', ...content }, finish_reason: 'stop' }
  return chunks(given, [{ text: JSON.stringify({ id: 'x', choices: [choice] }), then: 'end' }])
}

/** An event of leg A with this text. */
export function textEvent(content: string): string {
  return `data: ${JSON.stringify({ id: 'cc-A', choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`
}

/** The event of leg A that counts its tokens. */
export const usageEvent =
  'data: {"id":"cc-A","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}\n\n'
