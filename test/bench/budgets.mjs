import { difference, ratio, summary } from './figures.mjs'

const RAW = 'raw'

/**
 * What Understudy may cost. `to` says whose figure it is compared with: that of `raw`, of `host` = the same framework passing through
 * by hand, or of `itself`. `than` says which figure of theirs; default the same. `limit` holds; `aim` is where it is to come down to.
 * With `more` they are milliseconds above, else ratios.
 */
export const budgets = [
  { title: 'JSON 1 KB, one leg', figure: 'json1k', of: ['fallback'], to: RAW, limit: 1.3, aim: 0.85 },
  { title: 'JSON 1 KB, one leg', figure: 'json1k', of: ['express', 'koa', 'fastify'], to: 'host', limit: 1.25, aim: 1 },
  { title: 'JSON 1 KB, first leg 500', figure: 'firstLeg500', than: 'json1k', of: ['fallback'], to: RAW, limit: 2, aim: 1.15 },
  { title: 'burst', figure: 'burst', of: ['fallback', 'express', 'koa', 'fastify'], to: RAW, limit: 2, aim: 1.15 },
  { title: 'dense', figure: 'dense', of: ['fallback'], to: RAW, limit: 1.25, aim: 1.05 },
  { title: 'dense', figure: 'dense', of: ['express', 'koa', 'fastify'], to: 'host', limit: 1.25, aim: 1.05 },
  { title: 'time to first token, p50', figure: 'tokenP50', of: ['fallback', 'express', 'koa', 'fastify'], to: 'host', limit: 0.3, aim: 0.1, more: true },
  { title: 'failed leg 1, p50', figure: 'failoverP50', than: 'tokenP50', of: ['fallback', 'express', 'koa', 'fastify'], to: 'itself', limit: 0.8, aim: 0.4, more: true },
  { title: 'memory a stream at 5 000', figure: 'memory5000', of: ['fallback', 'express', 'koa', 'fastify'], to: RAW, limit: 1.6, aim: 1.2 },
]

const baseOf = (target, to) => ({ raw: RAW, itself: target.name, host: target.host })[to]

/** Each budget for each target it is for: what was measured against it, and whether it is met. */
export function checkBudgets(figures, targets) {
  return budgets.flatMap(({ title, figure, than = figure, of, to, limit, aim, more = false }) =>
    targets.filter(({ name }) => of.includes(name)).flatMap((target) => {
      const base = baseOf(target, to)
      const measured = summary(figures.pairs([target.name, figure], [base, than], more ? difference : ratio))
      if (measured === undefined) return []
      return [{ title, figure, target: target.name, base: to === 'itself' ? 'one leg alone' : base, measured, limit, aim, more, met: measured.median <= limit, reached: measured.median <= aim }]
    }))
}
