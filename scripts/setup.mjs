// Installs what the lockfile says and builds every package; quick when both are up to date.
import { spawnSync } from 'node:child_process'

const root = new URL('..', import.meta.url)
const steps = [
  ['npx', ['--yes', 'pnpm@12.4.2', 'install', '--frozen-lockfile', '--prefer-offline', '--reporter=append-only', '--loglevel=warn']],
  ['npx', ['tsc', '-b', 'tsconfig.packages.json']],
]

for (const [command, args] of steps) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
  if (error) throw error
  if (status !== 0) {
    console.error(`setup: '${command} ${args.join(' ')}' ended with code ${status}`)
    process.exit(1)
  }
}
