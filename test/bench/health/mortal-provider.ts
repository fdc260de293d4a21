import { startSimulator } from '@understudy/simulator'
import type { Step } from '@understudy/simulator'
import { eventually } from '../../kit/eventually.js'

/** How a provider dies: with its connections, or in what it answers from now on. */
export interface Death {
  readonly name: string
  /** Whether every open connection goes too. */
  readonly cutsOpen: boolean
  /** What it does with each call; `undefined` = nobody listens. */
  readonly step: Step | undefined
}

/** A provider that dies and comes back on the same port. */
export interface MortalProvider {
  readonly url: string
  /** How many calls it has received so far, dead or alive. */
  readonly received: () => number
  readonly die: (death: Death) => Promise<void>
  readonly heal: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Starts a provider that plays `healthy` while it lives. */
export async function startMortalProvider(healthy: Step): Promise<MortalProvider> {
  let calls = 0
  const start = (step: Step, port?: number) => startSimulator({
    port, script: { models: {}, fallback: step }, keepCalls: 1, onCall: () => void (calls += 1),
  })
  let simulator = await start(healthy)
  const { url, port } = simulator
  let listens = true

  async function play(step: Step): Promise<void> {
    if (listens) simulator.setScript({ models: {}, fallback: step })
    else simulator = await eventually('the port is free', () => start(step, port))
    listens = true
  }

  return {
    url,
    received: () => calls,
    die: async ({ cutsOpen, step }) => {
      if (cutsOpen) {
        await simulator.close()
        listens = false
      }
      if (step !== undefined) await play(step)
    },
    heal: () => play(healthy),
    close: () => simulator.close(),
  }
}
