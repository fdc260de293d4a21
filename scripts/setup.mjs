// Installs what the lockfile says and builds every package; quick when both are up to date.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync } from 'node:fs'

const root = new URL('..', import.meta.url)
const steps = [
  ['installing packages', 'npx', ['--yes', 'pnpm@12.4.2', 'install', '--frozen-lockfile', '--prefer-offline', '--reporter=append-only', '--loglevel=warn']],
  ['building packages', 'npx', ['tsc', '-b', 'tsconfig.packages.json']],
]

// What was built from a source that is gone would be packed with the rest; tsc leaves it there.
for (const name of readdirSync(new URL('packages', root))) {
  const built = new URL(`packages/${name}/dist/`, root)
  for (const file of existsSync(built) ? readdirSync(built, { recursive: true }) : []) {
    const source = file.replace(/(?:\.d\.ts|\.js)(?:\.map)?$/, '.ts')
    if (source !== file && !existsSync(new URL(`packages/${name}/src/${source}`, root))) rmSync(new URL(file, built))
  }
}

for (const [doing, command, args] of steps) {
  console.error(`setup: ${doing} ...`)
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
  if (error) throw error
  if (status !== 0) {
    console.error(`setup: '${command} ${args.join(' ')}' ended with code ${status}`)
    process.exit(1)
  }
}
