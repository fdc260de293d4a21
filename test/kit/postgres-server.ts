import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ServerProcess } from './server-process.js'
import { freePort, notTested, runServer } from './server-process.js'

/** Who the tests are in it, and the database they have. */
export const POSTGRES_USER = 'understudy'

/** A PostgreSQL of its own on a free port, in a folder that goes with it; or why there is none. */
export async function startPostgres(): Promise<ServerProcess | { readonly skip: string }> {
  const binaries = binariesOf()
  if (binaries === undefined) return { skip: notTested('PostgreSQL', 'initdb is not installed (apt-get install postgresql)') }
  const owner = ownerOf()
  if (owner === undefined) return { skip: notTested('PostgreSQL', 'it does not run as root, and there is no user postgres') }
  const folder = await mkdtemp(join(tmpdir(), 'understudy-postgres-'))
  if (owner.uid !== undefined && owner.gid !== undefined) chownSync(folder, owner.uid, owner.gid)
  const data = join(folder, 'data')
  const make = ['--pgdata', data, '--username', POSTGRES_USER, '--auth', 'trust', '--encoding', 'UTF8', '--no-locale', '--no-sync']
  execFileSync(join(binaries, 'initdb'), make, { ...owner, cwd: folder, stdio: 'pipe' })
  const port = await freePort()
  // A crash of the server loses nothing that the system has; only one of the machine would.
  const settings = { listen_addresses: '127.0.0.1', unix_socket_directories: folder, fsync: 'off', max_connections: '200' }
  const args = ['-D', data, '-p', String(port), ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
  const server = await runServer(port, { command: join(binaries, 'postgres'), args, cwd: folder, ...owner }, () => answers(port))
  return {
    ...server,
    stop: async () => {
      await server.stop()
      await rm(folder, { recursive: true, maxRetries: 10 })
    },
  }
}

/** Debian keeps them beside each other by version, and out of the path. */
function binariesOf(): string | undefined {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort((one, other) => Number(other) - Number(one)) : []
  const folders = [...versions.map((version) => join(debian, version, 'bin')), ...(process.env['PATH'] ?? '').split(':')]
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')))
}

/** Whose it is: it refuses to run as root. */
function ownerOf(): { readonly uid?: number; readonly gid?: number } | undefined {
  if (process.getuid?.() !== 0) return {}
  try {
    const idOf = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8', stdio: 'pipe' }))
    return { uid: idOf('-u'), gid: idOf('-g') }
  } catch {
    return undefined
  }
}

/** Asks to begin a session, as a client does: a server that is still starting answers with an error. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const words = Buffer.from(`user\0${POSTGRES_USER}\0database\0postgres\0\0`)
    const head = Buffer.alloc(8)
    head.writeInt32BE(8 + words.length)
    head.writeInt32BE(3 << 16, 4)
    const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.concat([head, words])))
    socket.setTimeout(1_000, () => socket.destroy())
    socket.once('data', (data) => {
      resolve(data.toString('latin1').startsWith('R'))
      socket.destroy()
    })
    socket.on('error', () => undefined).on('close', () => resolve(false))
  })
}
