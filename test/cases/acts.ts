import type { Cast } from './cast.js'
import { waitUntil } from './cast.js'
import type { Round } from './check-answer.js'
import { reloadActs } from './reload-acts.js'

/** What is played before the rounds of a case and behind them, because an earlier request decides about a later one. */
export interface Acts {
  readonly before?: (cast: Cast) => Promise<void>
  readonly after?: (cast: Cast, rounds: readonly Round[]) => Promise<void>
}

/** The acts of a case; those of a variant of its own, if it has any. */
export function actsOf(id: string, variant: string): Acts {
  return acts[`${id} ${variant}`] ?? acts[id] ?? reloadActs[id] ?? {}
}

async function openUntilDue(cast: Cast): Promise<void> {
  await cast.open('A')
  await cast.waitUntilDue('A')
}

/** The second probe that goes well closes a breaker. */
async function closesWithNextProbe(cast: Cast): Promise<void> {
  cast.expectState('behind one probe', { A: 'half-open' })
  await cast.request('the next request', { leg: 'A', calls: { A: 1, B: 0 } })
  cast.expectState('behind two probes', { A: 'closed' })
}

async function servedByB(cast: Cast, count: number, label: string): Promise<void> {
  for (let sent = 0; sent < count; sent += 1) await cast.request(label, { leg: 'B', calls: { A: 0, B: 1 } })
}

/** A rests, and is not asked within these ms of its refusal. */
async function restsFor(cast: Cast, ms: number, [first]: readonly Round[]): Promise<void> {
  const refusedBy = first?.answer.endedAt ?? 0
  cast.expect('A rests', cast.restsUntil('A') !== undefined)
  do {
    await servedByB(cast, 1, 'while A rests')
    await waitUntil(Date.now() + 100)
  } while (performance.now() - refusedBy < ms - 150)
}

const askedAgain = { leg: 'B', calls: { A: 1, B: 1 } }

const acts: Readonly<Record<string, Acts>> = {
  'B010': {
    after: async (cast, rounds) => {
      await restsFor(cast, 1_000, rounds)
      await waitUntil(cast.restsUntil('A') ?? 0)
      await cast.request('behind the rest', askedAgain)
    },
  },
  'B010 date lower case': { after: (cast, rounds) => restsFor(cast, 1_000, rounds) },
  'B010 date past': {
    after: async (cast) => {
      cast.expect('A does not rest', cast.restsUntil('A') === undefined)
      await cast.request('the next request', askedAgain)
    },
  },
  'B012': {
    after: async (cast) => {
      const until = cast.restsUntil('A')
      cast.expect('A rests for at most 250 ms', until !== undefined && until - Date.now() <= 250)
      await servedByB(cast, 1, 'while A rests')
      await waitUntil(until ?? 0)
      await cast.request('behind the rest', askedAgain)
    },
  },
  'B115': {
    before: openUntilDue,
    after: async (cast, rounds) => {
      const endOf = (leg: string) => rounds
        .filter(({ answer }) => answer.header('understudy-served')?.startsWith(`${leg}/`))
        .map(({ answer }) => answer.endedAt)
      cast.expect('one is served by A, 49 by B', endOf('A').length === 1 && endOf('B').length === 49)
      cast.expect('those of B wait for no probe', Math.max(...endOf('B')) < Math.min(...endOf('A')))
      await closesWithNextProbe(cast)
    },
  },
  'B118': {
    before: async (cast) => {
      await openUntilDue(cast)
      await cast.leave('A')
      cast.expectState('while the probe hangs', { A: 'half-open' })
    },
    after: async (cast) => {
      // Its lease is as long as the breaker stayed open.
      const before = cast.leg('A').received.length
      await waitUntil(Date.now() + 1_000)
      const { close, id } = await cast.leave('A')
      cast.expect('the next request probes again', cast.leg('A').received.length === before + 1)
      cast.leg('A').heal()
      // A client that leaves its probe gives the slot back.
      close()
      await cast.record.waitForEnd(id)
      await cast.request('behind a probe whose client left', { leg: 'A', calls: { A: 1, B: 0 } })
      await closesWithNextProbe(cast)
    },
  },
  'B118 with limits': {
    before: openUntilDue,
    after: async (cast) => {
      await servedByB(cast, 4, 'behind the failed probe')
      await cast.waitUntilDue('A')
      await cast.request('the next probe', askedAgain)
    },
  },
  'B119': {
    before: async (cast) => {
      await openUntilDue(cast)
      await cast.leg('A').refuse()
      await cast.request('the refused probe', { leg: 'B', calls: { B: 1 } })
      cast.expectState('behind the refused probe', { A: 'open' })
      await cast.leg('A').listen()
      await servedByB(cast, 1, 'behind the refused probe')
      await cast.waitUntilDue('A')
    },
    after: closesWithNextProbe,
  },
  'B119 no other leg': {
    before: async (cast) => {
      await openUntilDue(cast)
      await cast.leg('A').refuse()
      await cast.request('the refused probe', { leg: null, status: 502, calls: {} })
      await cast.leg('A').listen()
    },
    after: async (cast) => {
      await cast.waitUntilDue('A')
      await cast.request('the next probe', { leg: 'A', calls: { A: 1 } })
      cast.expectState('behind the next probe', { A: 'half-open' })
    },
  },
  'B123': { after: (cast) => servedByB(cast, 1, 'the fourth request') },
  'B124': {
    before: async (cast) => {
      const slow = (text: string, ms: number) => cast.leg('A').play({
        chunks: [...(text === '' ? [] : [{ text }]), { text: '', delay_ms: ms, then: 'reset' }],
      })
      slow('', 1_800)
      const first = await cast.leave('A')
      slow('data: {"id":"cc-A","choices":[{"index":0,"delta":{"content":"alfa-1 "}}]}\n\n', 2_400)
      const second = await cast.leave('A')
      await openUntilDue(cast)
      await cast.request('the first probe', { leg: 'A', calls: { A: 1, B: 0 } })
      cast.expectState('behind the first probe', { A: 'half-open' })
      await cast.record.waitForEnd(first.id)
      cast.expect('the first slow one fails', cast.record.verdictOf(first.id, 'A') === 'charge')
      cast.expectState('behind the first slow one', { A: 'half-open' })
      await cast.request('the second probe', { leg: 'A', calls: { A: 1, B: 0 } })
      cast.expectState('behind the second probe', { A: 'closed' })
      await cast.record.waitForEnd(second.id)
      cast.expect('the second slow one fails', cast.record.verdictOf(second.id, 'A') === 'charge')
      cast.expectState('behind the second slow one', { A: 'closed' })
      first.close()
      second.close()
      // The late results left no failure behind: it still takes three. No success may come between, which would forget them.
      cast.leg('A').play({ status: 500 })
      for (const state of ['closed', 'closed', 'open']) {
        await cast.request('another failure', askedAgain)
        cast.expectState('behind another failure', { A: state })
      }
      cast.leg('A').play()
      await cast.waitUntilDue('A')
      await cast.request('a probe', { leg: 'A', calls: { A: 1, B: 0 } })
      await closesWithNextProbe(cast)
    },
  },
  'B125': {
    after: async (cast) => {
      cast.expectState('behind three failures', { A: 'open' })
      await servedByB(cast, 7, 'the other seven')
    },
  },
  'B126': {
    before: (cast) => cast.open('A', 'B'),
    after: async (cast) => {
      const took: number[] = []
      for (let sent = 0; sent < 5; sent += 1) {
        const { answer } = await cast.request('another one', { leg: null, status: 503, calls: { A: 0, B: 0 } })
        took.push(answer.endedAt - answer.sentAt)
      }
      // The fastest, since the others measure the machine too.
      cast.expect('answered within 20 ms', Math.min(...took) <= 20)
    },
  },
  'B147': {
    after: async (cast) => {
      const ends = cast.record.events.filter(({ type }) => type === 'run-end')
      cast.expect('each run keeps the name that was asked for', ends.length === 10
        && ends.every((end) => 'requested' in end && end.requested === 'chat'))
      cast.expect('the log keeps it too', cast.logs.length > 0 && cast.logs.every(({ text }) => text.includes('"chat"')))
    },
  },
  'B126 last resort': { before: (cast) => cast.open('A', 'B') },
}
