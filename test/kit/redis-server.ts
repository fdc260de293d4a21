import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ServerProcess } from './server-process.js'
import { freePort, notTested, runServer } from './server-process.js'

/** A Redis of its own on a free port, which keeps what was written over a crash; or why there is none. */
export async function startRedis(): Promise<ServerProcess | { readonly skip: string }> {
  if (!installed()) return { skip: notTested('Redis', 'redis-server is not installed (apt-get install redis-server)') }
  const folder = await mkdtemp(join(tmpdir(), 'understudy-redis-'))
  const port = await freePort()
  const options = { port, bind: '127.0.0.1', dir: folder, save: '', appendonly: 'yes', appendfsync: 'always', daemonize: 'no' }
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)])
  const server = await runServer(port, { command: 'redis-server', args, cwd: folder }, () => ping(port))
  return {
    ...server,
    stop: async () => {
      await server.stop()
      await rm(folder, { recursive: true })
    },
  }
}

function installed(): boolean {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** It also has to have read what it kept: until then it answers `LOADING`. */
function ping(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'))
    socket.setTimeout(1_000, () => socket.destroy())
    socket.once('data', (data) => {
      resolve(data.toString().startsWith('+PONG'))
      socket.destroy()
    })
    socket.on('error', () => undefined).on('close', () => resolve(false))
  })
}
