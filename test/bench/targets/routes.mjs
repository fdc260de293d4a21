// What every Understudy target is mounted with: two legs, everything watched, nothing switched off.
import { backup, limitMs, primary } from './serve.mjs'

export const routes = { chat: ['primary/gpt-4o-mini', 'backup/gpt-4o-mini'] }

export const options = {
  providers: {
    primary: { dialect: 'openai', baseURL: primary, apiKey: 'sk-primary' },
    backup: { dialect: 'openai', baseURL: backup, apiKey: 'sk-backup' },
  },
  // On, but never open: a leg that is meant to fail each time has to be asked each time.
  breaker: { failureThreshold: 1_000_000_000 },
  ...(limitMs === undefined ? {} : { firstContentTimeoutMs: limitMs }),
}
