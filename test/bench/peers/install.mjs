import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('.', import.meta.url))

/** Installs the peers as the lockfile says, if they are missing. Throws if that fails. */
export function installPeers() {
  // npm writes it last.
  if (existsSync(`${folder}node_modules/.package-lock.json`)) return
  process.stderr.write('installing the peers\n')
  const { status, error } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (error) throw error
  if (status !== 0) throw new Error(`npm ci in test/bench/peers ended with code ${status}`)
}
