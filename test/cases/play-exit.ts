import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { Case } from './case.js'
import { startFakeLeg, type FakeLeg } from './fake-legs.js'
import { sendRaw } from './raw-client.js'
import { readAnswer } from './read-answer.js'
import { openedBy } from './remembering.js'
import { requestOf } from './rounds.js'
import { within } from '../kit/within.js'

/** A process that compiles its sources first takes its time. */
const startMs = 60_000
/** How much later an end may come that is late. */
const patienceMs = 5_000

/**
 * Plays a case on a host of each framework, in a process of their own, and ends it as the case says: the process must
 * go by itself.
 */
export async function playExit(of: Case, withinMs: number): Promise<readonly string[]> {
  // A host that closes what it made does so twice, in its handler of SIGTERM.
  const ending = of.post === 'close() twice' ? 'sigterm' : 'server-close'
  const legs = await Promise.all(of.upstream.map((leg) => startFakeLeg(leg)))
  const urls = legs.map(({ baseURL }) => baseURL)
  const child = fork(new URL('exit-host.ts', import.meta.url), {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, NODE_OPTIONS: '', CASE_HOST: JSON.stringify({ ending, urls }) },
  })
  const printed = Promise.all([child.stdout, child.stderr].map((stream) => (stream === null ? '' : text(stream))))
  const exited = once(child, 'exit')
  try {
    const ports = await within(startMs, 'the ports of the hosts', portsOf(child))
    if (ports.length === 0) return [`the host did not start: ${(await printed).join('')}`]
    const { parallel = 1 } = of
    const send = (port: number, index: number) => sendRaw(port, requestOf(of, `exit-${port}-${index}`, index))
    const opened = of.expect.breaker?.A === 'charge' ? await openFirst(legs, ports, send) : []
    const answers = ports.flatMap((port) => Array.from({ length: parallel }, (_, index) => send(port, index)))
    if (ending === 'sigterm') {
      await Promise.all(legs.map((leg) => waitForCalls(() => leg.received.length, answers.length)))
      child.kill('SIGTERM')
    } else {
      await Promise.all(answers)
      child.send('end')
    }
    const [code, signal] = await within(withinMs + patienceMs, 'the exit of the host', exited).catch(() => ['none'])
    const problems = [...opened]
    if (code !== 0) problems.push(`exit code ${String(code)}, signal ${String(signal)}`)
    for (const raw of await Promise.all(answers)) {
      const answer = readAnswer(raw)
      const whole = answer.errorEvents.length === 0 && answer.doneCount === 1
      const honest = answer.errorEvents.length === 1 && answer.doneCount === 0
      const counts = `${answer.errorEvents.length} errors, ${answer.doneCount} [DONE]`
      if (!whole && !honest) problems.push(`${counts} in a stream`)
      if (answer.endedBy === 'deadline' || !answer.complete) problems.push(`the answer was cut off`)
    }
    for (const leg of legs) {
      await leg.waitForNoSockets().catch(() => problems.push(`connections to ${leg.name} stayed open`))
    }
    if (code === 'none') child.kill('SIGKILL')
    const output = (await printed).join('')
    const held = /^ended after (\d+) ms$/.exec(output)?.[1]
    if (held === undefined) problems.push(`the host printed ${output.slice(0, 1_000)}`)
    else if (Number(held) > withinMs) problems.push(`the process was held for ${held} ms, more than ${withinMs}`)
    return problems
  } finally {
    if (child.exitCode === null) child.kill('SIGKILL')
    await Promise.all(legs.map((leg) => leg.close()))
  }
}

/** Lets the first leg of each host fail until its breaker is open, and asks once more: it must not be called then. */
async function openFirst(
  [first]: readonly FakeLeg[],
  ports: readonly number[],
  send: (port: number, index: number) => Promise<unknown>,
): Promise<readonly string[]> {
  for (const port of ports) for (let index = 1; index <= openedBy + 1; index += 1) await send(port, index)
  const calls = first?.received.length
  return calls === openedBy * ports.length ? [] : [`the first leg was called ${calls} times, so its breakers are not open`]
}

/** Empty if the process ends before it listens. */
async function portsOf(child: ChildProcess): Promise<readonly number[]> {
  const [ports] = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => [])])
  return Array.isArray(ports) ? ports : []
}

async function waitForCalls(count: () => number, expected: number): Promise<void> {
  const deadline = performance.now() + 5_000
  while (count() < expected && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 5))
  // Until each stream has begun.
  await new Promise((resolve) => setTimeout(resolve, 150))
}
