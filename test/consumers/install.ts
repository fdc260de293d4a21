import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { runCommand } from './run-command.js'
import type { Ended } from './run-command.js'

/** Package name -> its tarball, as an npm specifier. */
export type Tarballs = Readonly<Record<string, string>>

/** Packs every package as it is published: by pnpm, which puts ranges in the place of `workspace:^` and `catalog:`. */
export async function packAll(root: string, folder: string): Promise<Tarballs> {
  mkdirSync(folder)
  const args = ['--recursive', '--filter', './packages/*', 'pack', '--pack-destination', folder]
  const { status, output, errors } = await runCommand(root, 'npx', '--yes', 'pnpm@12.4.2', ...args)
  if (status !== 0) throw new Error(`pnpm pack ended with ${status}:\n${output}${errors}`)
  return Object.fromEntries(
    readdirSync(folder).map((file) => [file.replace(/^understudy-(.+)-\d.*$/, '@understudy/$1'), `file:${join(folder, file)}`]),
  )
}

/**
 * Installs packages into a new project. What of ours they depend on comes from the tarballs too, as it would from the
 * registry: what no manifest names is not there.
 */
export async function install(folder: string, tarballs: Tarballs, dependencies: Readonly<Record<string, string>>): Promise<Ended> {
  mkdirSync(folder)
  const direct = Object.entries(dependencies).map(([name, range]) => [name, tarballs[name] ?? range])
  const overrides = Object.entries(tarballs).filter(([name]) => !(name in dependencies))
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({
      private: true,
      type: 'module',
      dependencies: Object.fromEntries(direct),
      overrides: Object.fromEntries(overrides),
    }),
  )
  return runCommand(folder, 'npm', 'install', '--no-audit', '--no-fund', '--prefer-offline')
}
