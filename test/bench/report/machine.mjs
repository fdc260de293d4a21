import { spawnSync } from 'node:child_process'
import { availableParallelism, cpus, totalmem } from 'node:os'

const git = (...args) => spawnSync('git', args, { encoding: 'utf8' }).stdout?.trim() ?? ''

/** What the figures were measured on and of. */
export function describeMachine() {
  const commit = git('rev-parse', '--short', 'HEAD') || 'unknown'
  const changed = git('status', '--porcelain', '--', 'packages') !== '' ? ' and changes' : ''
  return {
    cores: `${availableParallelism()} x ${cpus()[0]?.model.trim() ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GB`,
    node: `${process.version}, ${process.platform} ${process.arch}`,
    date: new Date().toISOString().slice(0, 10),
    commit: `${commit}${changed}`,
  }
}
