import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** The cores this process may use: `0-1,4` as [0, 1, 4]; empty where the system does not say. */
function allowedCores() {
  try {
    const [, list] = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8'))
    return list.split(',').flatMap((range) => {
      const [from, to = from] = range.split('-').map(Number)
      return Array.from({ length: to - from + 1 }, (_, index) => from + index)
    })
  } catch {
    return []
  }
}

/**
 * What to put before a command so that targets have one core and the load has another. Without `taskset` or a second core
 * nothing is pinned, and `note` says so.
 */
export function choosePinning() {
  const cores = allowedCores()
  const pinned = cores.length >= 2 && spawnSync('taskset', ['-V']).status === 0
  const on = (core) => (pinned ? ['taskset', '-c', String(core)] : [])
  return {
    target: on(cores[0]),
    load: on(cores[1]),
    note: pinned
      ? `targets on core ${cores[0]}, upstream and client on core ${cores[1]}`
      : 'nothing pinned (no taskset, or only one core): figures are less steady',
  }
}
