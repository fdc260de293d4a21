import type { Step } from '@understudy/simulator'
import t from 'tap'
import { frameworkOf, plainSetUps } from '../cases/hosts.js'
import { columnsOf, showLines } from '../kit/show-table.js'
import { MODES, type Mode } from './questions.js'
import type { SdkAnswer, SdkClient } from './sdk-client.js'
import { KINDS, LEGS, startSdkHost, startVendor, type Kind, type LegDialect } from './sdk-host.js'

/** How the leg before the one that serves fails. */
const FAULTS = ['busy', 'error before content'] as const
type Fault = (typeof FAULTS)[number]

/** How many events a stream of a leg has when two words of it are out. */
const EVENTS_OF_TWO_WORDS = { openai: 3, responses: 6, anthropic: 5, gemini: 2, bedrock: 3 } as const satisfies Record<LegDialect, number>

/** What is said of a leg that breaks off, whichever dialect it is said in. */
const BROKE_OFF = 'the answer of the provider broke off'

const COLUMNS = [...MODES.flatMap((mode) => KINDS.map((kind) => `${mode} ${kind}` as const)), 'break after content', 'after another leg'] as const

/** How many of the questions of one cell were answered as a direct call would be. */
interface Cell {
  right: number
  asked: number
}

function stepOf(fault: Fault, leg: LegDialect): Step {
  if (fault === 'busy') return { status: leg === 'openai' ? 503 : 529 }
  const error = leg === 'bedrock' ? { error: { type: 'ThrottlingException' } } : {}
  // Gemini's first event is content.
  return { fault: { do: 'error_event', afterEvents: leg === 'gemini' ? 0 : 1, ...error } }
}

/** Another dialect than the one that serves, each time another one: over the frameworks each dialect fails before each. */
function legBefore(served: LegDialect, turn: number): LegDialect {
  return LEGS[(LEGS.indexOf(served) + 1 + turn % (LEGS.length - 1)) % LEGS.length] ?? 'openai'
}

/** What each client makes of the answers when nobody is in between. */
async function direct(clients: readonly SdkClient[]): Promise<ReadonlyMap<string, readonly SdkAnswer[]>> {
  const vendor = await startVendor()
  const { origin } = new URL(vendor.url)
  const answers = new Map<string, readonly SdkAnswer[]>()
  try {
    for (const client of clients) {
      for (const mode of MODES) for (const kind of KINDS) answers.set(`${client.name} ${mode} ${kind}`, await client.ask(origin, mode, kind))
    }
    return answers
  } finally {
    await vendor.close()
  }
}

/**
 * Plays a library's clients over chains of legs of every dialect, on every framework: a leg of another dialect fails before one that serves,
 * and one breaks off behind content. Each answer has to be what a direct call gives. Shows the counts as a table.
 */
export async function playMatrix(library: string, clients: readonly SdkClient[]): Promise<void> {
  const reference = await direct(clients)
  const cells = new Map<string, Cell>()
  const count = (client: SdkClient, leg: LegDialect, column: (typeof COLUMNS)[number], right: boolean): void => {
    const key = `${client.name}, ${leg}, ${column}`
    const { right: rights, asked } = cells.get(key) ?? { right: 0, asked: 0 }
    cells.set(key, { right: rights + (right ? 1 : 0), asked: asked + 1 })
  }

  for (const [turn, setUp] of plainSetUps.entries()) {
    t.test(`${frameworkOf(setUp)}: whichever dialects fail and serve, clients of ${library} get what a direct call gives`, async (t) => {
      for (const leg of LEGS) {
        for (const [index, fault] of FAULTS.entries()) {
          const before = legBefore(leg, turn + index)
          const host = await startSdkHost(setUp, { leg: before, step: stepOf(fault, before) }, leg)
          const play = async (client: SdkClient, mode: Mode, kind: Kind): Promise<void> => {
            const answers: unknown = await client.ask(host.origin, mode, kind).catch((error: unknown) => String(error))
            const what = `${client.name} client, ${before} then ${leg}, ${fault}, ${mode}, ${kind}`
            count(client, leg, `${mode} ${kind}`, t.strictSame(answers, reference.get(`${client.name} ${mode} ${kind}`), what))
          }
          try {
            for (const client of clients) {
              for (const kind of KINDS) {
                await play(client, 'streamed', kind)
                if (fault === 'busy') await play(client, 'buffered', kind)
              }
            }
            t.equal(host.first.calls.length, host.second.calls.length, 'each was asked once for each question')
          } finally {
            await host.close()
          }
        }
      }
    })

    t.test(`${frameworkOf(setUp)}: clients of ${library} hear of a leg that breaks off after content, and no other leg is asked`, async (t) => {
      for (const leg of LEGS) {
        const step: Step = { answer: { text: ['one ', 'two ', 'three'] }, fault: { do: 'end', afterEvents: EVENTS_OF_TWO_WORDS[leg] } }
        const host = await startSdkHost(setUp, { leg, step }, legBefore(leg, turn))
        try {
          for (const client of clients) {
            if (client.readUntilError === undefined) continue
            const { text, error } = await client.readUntilError(host.origin)
            const right = t.strictSame([text, saysThatItBroke(error)], ['one two ', true], `${client.name} client, ${leg} leg`)
            count(client, leg, 'break after content', right)
          }
          t.equal(host.second.calls.length, 0)
        } finally {
          await host.close()
        }
      }
    })
  }

  t.test(`whatever leg answered first, clients of ${library} go on at any other`, async (t) => {
    const before = { leg: 'openai', step: { status: 503 } } as const
    const hosts = await Promise.all(LEGS.map(async (leg) => ({ leg, host: await startSdkHost('express', before, leg) })))
    try {
      for (const client of clients) {
        // One that cannot go on itself has one answer only.
        if (reference.get(`${client.name} buffered tools`)?.length === 1) continue
        for (const { leg, host } of hosts) {
          for (const { leg: nextLeg, host: next } of hosts) {
            if (nextLeg === leg) continue
            const mode = MODES[(LEGS.indexOf(leg) + LEGS.indexOf(nextLeg)) % 2] ?? 'streamed'
            const answers: unknown = await client.ask(host.origin, mode, 'tools', next.origin).catch((error: unknown) => String(error))
            const right = t.strictSame(answers, reference.get(`${client.name} ${mode} tools`), `${client.name} client, ${leg} and then ${nextLeg}, ${mode}`)
            count(client, nextLeg, 'after another leg', right)
          }
        }
      }
    } finally {
      await Promise.all(hosts.map(({ host }) => host.close()))
    }
  })

  t.test('the matrix', async (t) => {
    const rows = clients.flatMap((client) => LEGS.map((leg) => [
      client.name, leg, ...COLUMNS.map((column) => {
        const { right, asked } = cells.get(`${client.name}, ${leg}, ${column}`) ?? { right: 0, asked: 0 }
        return asked === 0 ? '-' : `${right}/${asked}`
      }),
    ]))
    const all = [...cells.values()]
    const sum = (member: keyof Cell): number => all.reduce((total, cell) => total + cell[member], 0)
    showLines(t, [
      `${library}: right answers, over all frameworks and faults`,
      ...columnsOf([['client', 'leg', ...COLUMNS], ...rows]),
      `${sum('right')} of ${sum('asked')}`,
    ])
    t.equal(sum('right'), sum('asked'))
  })
}

/** Some clients throw an error of their own, others hand on what the event says. */
function saysThatItBroke(error: unknown): boolean {
  return JSON.stringify([String(error), error]).includes(BROKE_OFF)
}
