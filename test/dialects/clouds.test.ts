import { startSimulator, type Step } from '@understudy/simulator'
import t from 'tap'
import { plainSetUps } from '../cases/hosts.js'
import { ask, FULL_ANSWER, MODES, type Mode } from './questions.js'
import { clientsOf, CLOUD_MODELS, MODELS, modelOf, startTranslatingHost, type Cloud, type Vendor } from './translating-host.js'

const CLIENTS: readonly Vendor[] = ['openai', 'responses', 'anthropic', 'gemini']
const CLOUDS = Object.keys(CLOUD_MODELS) as readonly Cloud[]
const healthy: Step = { answer: FULL_ANSWER }

/** The client that is told what a cloud's model signs: it can send that back, there or to its own vendor. */
const OWN_CLIENT: Readonly<Record<Cloud, Vendor | undefined>> = {
  bedrock: 'anthropic',
  vertex: 'gemini',
  'anthropic on bedrock': 'anthropic',
  'anthropic on vertex': 'anthropic',
}

/** What each vendor's client makes of the answer when nobody is in between. */
async function direct(): Promise<ReadonlyMap<string, object>> {
  const simulator = await startSimulator({ script: { fallback: healthy, strict: true } })
  const clients = clientsOf(new URL(simulator.url).origin)
  const answers = new Map<string, object>()
  try {
    for (const client of CLIENTS) for (const mode of MODES) answers.set(`${client} ${mode}`, await ask(client, clients, mode, MODELS[client]))
    return answers
  } finally {
    await simulator.close()
  }
}

const reference = await direct()

/** The direct answer, but for the model that served and what only the vendor itself can sign. */
function expected(client: Vendor, leg: Vendor | Cloud, mode: Mode): unknown {
  const text = JSON.stringify({ ...reference.get(`${client} ${mode}`), model: modelOf(leg) })
  const isOwn = client === leg || (leg in OWN_CLIENT && OWN_CLIENT[leg as Cloud] === client)
  if (isOwn) return JSON.parse(text.replaceAll(`sig-${MODELS[client]}`, `sig-${modelOf(leg)}`))
  return JSON.parse(text.replace(/"signature":"[^"]*"/g, '"signature":""').replace(/,"(?:thoughtSignature|encrypted_content)":"[^"]*"/g, ''))
}

// A busy machine takes its time.
t.setTimeout(300_000)

for (const setUp of plainSetUps) {
  t.test(`${setUp}: a client gets from a cloud what a direct call gives, also where the leg before it fails`, async (t) => {
    for (const cloud of CLOUDS) {
      const host = await startTranslatingHost(setUp, { vendor: 'openai', step: { status: 503 } }, { vendor: cloud, step: healthy })
      try {
        for (const client of CLIENTS) {
          for (const mode of MODES) {
            const answer = await ask(client, host, mode, 'chat').catch((error: unknown) => ({ error: String(error) }))
            t.strictSame(answer, expected(client, cloud, mode), `${client} client, ${cloud} leg, ${mode}`)
          }
        }
        t.equal(host.second.calls.length, CLIENTS.length * MODES.length, cloud)
      } finally {
        await host.close()
      }
    }
  })

  t.test(`${setUp}: a cloud that fails before content is followed by the next leg`, async (t) => {
    const framed: readonly (readonly [string, Step])[] = [
      ['an exception frame', { fault: { do: 'error_event', afterEvents: 1, error: { type: 'ThrottlingException' } } }],
      ['a frame whose checksum is wrong', { fault: { do: 'bad_checksum', afterEvents: 1 } }],
      ['an end in the middle of a frame', { fault: { do: 'close', afterBytes: 60 } }],
      ['a reset', { fault: { do: 'reset', afterBytes: 60 } }],
    ]
    const plain: readonly (readonly [string, Step])[] = [['an error in the stream', { fault: { do: 'error_event', afterEvents: 0 } }]]
    for (const cloud of CLOUDS) {
      for (const [fault, step] of [['busy', { status: 429 }] as const, ...(cloud.includes('bedrock') ? framed : plain)]) {
        const host = await startTranslatingHost(setUp, { vendor: cloud, step }, { vendor: 'openai', step: healthy }, { breaker: false, cooldown: false })
        try {
          for (const client of CLIENTS) {
            const answer = await ask(client, host, 'streamed', 'chat').catch((error: unknown) => ({ error: String(error) }))
            t.strictSame(answer, expected(client, 'openai', 'streamed'), `${client} client, ${cloud}, ${fault}`)
          }
          t.equal(host.first.calls.length, CLIENTS.length, 'each was asked once for each question')
        } finally {
          await host.close()
        }
      }
    }
  })

  t.test(`${setUp}: a cloud that breaks behind content ends the stream with an error, and nobody else is asked`, async (t) => {
    const words: Step = { answer: { text: ['one ', 'two ', 'three'] } }
    const faults: readonly (readonly [Cloud, Step])[] = [
      ['bedrock', { ...words, fault: { do: 'error_event', afterEvents: 3, error: { type: 'ModelStreamErrorException' } } }],
      ['bedrock', { ...words, fault: { do: 'bad_checksum', afterEvents: 3 } }],
      ['bedrock', { ...words, fault: { do: 'end', afterEvents: 3 } }],
      ['anthropic on bedrock', { ...words, fault: { do: 'error_event', afterEvents: 5, error: { type: 'InternalServerException' } } }],
      ['anthropic on vertex', { ...words, fault: { do: 'end', afterEvents: 5 } }],
      ['vertex', { ...words, fault: { do: 'end', afterEvents: 2 } }],
    ]
    for (const [cloud, step] of faults) {
      const host = await startTranslatingHost(setUp, { vendor: cloud, step }, { vendor: 'openai', step: healthy }, { breaker: false, cooldown: false })
      try {
        const { text, error } = await readText(host)
        t.strictSame([text, host.second.calls.length], ['one two ', 0], `${cloud}, ${step.fault?.do}`)
        t.ok(error instanceof Error, `${cloud}, ${step.fault?.do}: ${String(error)}`)
      } finally {
        await host.close()
      }
    }
  })
}

async function readText({ openai }: Pick<Awaited<ReturnType<typeof startTranslatingHost>>, 'openai'>) {
  let text = ''
  try {
    const stream = await openai.chat.completions.create({ model: 'chat', messages: [{ role: 'user', content: 'hi' }], stream: true })
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
    return { text, error: undefined }
  } catch (error) {
    return { text, error }
  }
}

t.test('a cloud that falls silent in a frame is left after the idle limit, and before content after the other', async (t) => {
  for (const [afterBytes, expectedText, asked] of [[60, 'two', 1], [330, 'one ', 0]] as const) {
    const host = await startTranslatingHost(
      'express',
      { vendor: 'bedrock', step: { answer: { text: ['one ', 'three'] }, fault: { do: 'stall', afterBytes } } },
      { vendor: 'openai', step: { answer: { text: ['two'] } } },
      { firstContentTimeoutMs: 400, idleTimeoutMs: 400 },
    )
    try {
      const { text, error } = await readText(host)
      t.strictSame([text, host.second.calls.length], [expectedText, asked])
      t.equal(error instanceof Error && 'code' in error ? error.code : undefined, asked === 1 ? undefined : 'idle_timeout')
    } finally {
      await host.close()
    }
  }
})

t.test('credentials that cannot be had are the failure of that attempt, and turn up nowhere', async (t) => {
  const logged: string[] = []
  const log = (...said: unknown[]) => void logged.push(JSON.stringify(said))
  const host = await startTranslatingHost(
    'express',
    { vendor: 'bedrock', step: healthy },
    { vendor: 'openai', step: { answer: { text: ['two'] } } },
    {
      providers: {
        first: { dialect: 'bedrock', baseURL: 'http://127.0.0.1:1', region: 'us-east-1', credentials: () => Promise.reject(new Error('canary-secret')) },
        second: { dialect: 'openai', baseURL: 'http://127.0.0.1:1' },
      },
      logger: { debug: log, info: log, warn: log, error: log },
    },
  )
  t.teardown(host.close)
  const { error } = await readText(host)
  t.match(error, { status: 502, code: 'all_legs_failed' })
  const failures = error instanceof Error && 'error' in error ? JSON.stringify(error.error) : ''
  t.match(failures, /"reason":"auth_error"[\s\S]*"reason":"connection_error"/)
  t.notMatch(failures + logged.join(), /canary/)
})
