import { Session } from 'node:inspector/promises'
import { writeFileSync } from 'node:fs'
import { answerCommands } from '../process/control.mjs'

/** The base URLs of the two legs, up to where a dialect's paths begin. */
export const [primary, backup] = process.argv.slice(2, 4).map((port) => `http://127.0.0.1:${port}/v1`)

/** A short limit on silence, in ms, where the bench looks at what becomes of it; else undefined: each target's own default. */
export const limitMs = process.argv[4] ? Number(process.argv[4]) : undefined

/** What a row of targets says beside its file. */
export const extra = process.argv.slice(5)

/** Where the plain hosts send a completion. */
export const completionsUrl = (base) => `${base}/chat/completions`

let session

/** Tells the bench where a target listens and what it spends. */
export function serve(port) {
  answerCommands({
    port: () => port,
    // Microseconds of processor time since the start, in the process and in the kernel for it.
    cpu: () => {
      const { user, system } = process.cpuUsage()
      return user + system
    },
    memory: () => {
      for (let round = 0; round < 3; round += 1) globalThis.gc()
      return process.memoryUsage.rss()
    },
    profileStart: async () => {
      session = new Session()
      session.connect()
      await session.post('Profiler.enable')
      await session.post('Profiler.setSamplingInterval', { interval: 200 })
      await session.post('Profiler.start')
    },
    profileStop: async ({ file }) => {
      const { profile } = await session.post('Profiler.stop')
      writeFileSync(file, JSON.stringify(profile))
      session.disconnect()
    },
  })
}

/** Listens on a free port of loopback, then serves. */
export function listenAndServe(server) {
  server.keepAliveTimeout = 60_000
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => serve(server.address().port))
}
