// Every published manifest as npm sees it.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'

let failed = false
for (const name of readdirSync(new URL('../packages', import.meta.url)).sort()) {
  const { status, stdout, stderr } = spawnSync('npx', ['publint', '--pack', 'npm', '--strict', `packages/${name}`], {
    cwd: new URL('..', import.meta.url),
    encoding: 'utf8',
  })
  if (status === 0) continue
  failed = true
  console.log(`${name}:\n${stdout}${stderr}`)
}
process.exitCode = failed ? 1 : 0
