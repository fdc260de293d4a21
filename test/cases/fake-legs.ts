import { createServer, type Socket } from 'node:net'
import {
  refusedUrl,
  selfSignedCertificate,
  startSimulator,
  type ReceivedCall,
  type Simulator,
  type Step,
} from '@understudy/simulator'
import type { CaseLeg } from './case.js'

/** A provider on loopback that plays one leg of a case. */
export interface FakeLeg {
  readonly name: string
  readonly baseURL: string
  /** Whether a call of it can be received at all. If not, attempts are what counts. */
  readonly reachable: boolean
  readonly received: readonly ReceivedCall[]
  readonly openSockets: number
  waitForNoSockets(): Promise<void>
  /** From now on it answers well, if it can be reached. */
  heal(): void
  /** From now on it plays this; without a step its own again. */
  play(step?: Step): void
  /** Nobody listens any more. */
  refuse(): Promise<void>
  /** Listens again, and plays its own step. */
  listen(): Promise<void>
  close(): Promise<void>
}

/** Starts what stands at the place of a leg. */
export async function startFakeLeg(leg: CaseLeg): Promise<FakeLeg> {
  switch (leg.connect) {
    case 'refused':
      return unreachable(leg.leg, await refusedUrl())
    case 'dns_fail':
      return unreachable(leg.leg, `http://leg-${leg.leg.toLowerCase()}.invalid/v1`)
    case 'bad_url':
      return unreachable(leg.leg, 'http://[leg/v1')
    case 'tls_garbage':
      return startGarbage(leg.leg)
    case 'tls_self_signed': {
      const simulator = await startSimulator({ tls: selfSignedCertificate() })
      return { ...simulated(leg.leg, simulator, {}), reachable: false }
    }
    default: {
      const own = stepOf(leg)
      return simulated(leg.leg, await startSimulator({ script: { fallback: own } }), own)
    }
  }
}

/** A leg that serves, and says who it is: what a leg does once it is healed. */
export const healthyStep: Step = { answer: { text: ['healed-1 ', 'healed-2'] } }

function simulated(name: string, first: Simulator, own: Step): FakeLeg {
  const { url, port } = first
  const earlier: ReceivedCall[] = []
  let simulator = first
  return {
    name,
    baseURL: url,
    reachable: true,
    get received() {
      return [...earlier, ...simulator.calls]
    },
    get openSockets() {
      return simulator.openSockets
    },
    waitForNoSockets: () => simulator.waitForNoSockets(),
    heal: () => simulator.setScript({ fallback: healthyStep }),
    play: (step = own) => simulator.setScript({ fallback: step }),
    refuse: () => {
      earlier.push(...simulator.calls)
      return simulator.close()
    },
    listen: async () => {
      simulator = await startSimulator({ port, script: { fallback: own } })
    },
    close: () => simulator.close(),
  }
}

function unreachable(name: string, baseURL: string): FakeLeg {
  return {
    name,
    baseURL,
    reachable: false,
    received: [],
    openSockets: 0,
    waitForNoSockets: () => Promise.resolve(),
    heal: () => undefined,
    play: () => undefined,
    refuse: () => Promise.resolve(),
    listen: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
}

async function startGarbage(name: string): Promise<FakeLeg> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    socket.write('this is not the start of a handshake\r\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port')
  return {
    ...unreachable(name, `https://127.0.0.1:${address.port}/v1`),
    close: () => new Promise((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    }),
  }
}

function stepOf(leg: CaseLeg): Step {
  if (leg.connect === 'accept_stall' || leg.connect === 'reset_before_headers') return { connect: leg.connect }
  return {
    status: leg.status,
    headers: leg.headers,
    chunks: leg.chunks,
    writeSize: leg.write_size,
    number_chunks: leg.number_chunks,
    strict: leg.strict_openai,
    fault: leg.fault,
  }
}
