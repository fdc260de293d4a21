import { randomUUID } from 'node:crypto'
import { link, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/** What is done under a lock takes milliseconds: who held it so long without a sign of life is gone. */
const STALE_MS = 2_000

const RETRY_MS = 10

/** Runs `work` while this process alone holds the lock file. `assertHeld` rejects if somebody took the lock for an abandoned one. */
export async function withFileLock<Value>(
  path: string,
  signal: AbortSignal,
  work: (assertHeld: () => Promise<void>) => Promise<Value>,
): Promise<Value> {
  const token = `${process.pid} ${randomUUID()}`
  await acquire(path, token, signal)
  const isHeld = async (): Promise<boolean> => (await readFile(path, 'utf8').catch(() => undefined)) === token
  try {
    return await work(async () => {
      if (!(await isHeld())) throw new Error('the lock file was taken over: this took too long')
    })
  } finally {
    if (await isHeld()) await rm(path, { force: true })
  }
}

async function acquire(path: string, token: string, signal: AbortSignal): Promise<void> {
  let seen: { readonly key: string; readonly since: number } | undefined
  for (;;) {
    signal.throwIfAborted()
    if (await create(path, token)) return
    const key = await keyOf(path)
    if (key !== undefined && key === seen?.key) {
      if (performance.now() - seen.since > STALE_MS) await takeAway(path, key)
    } else if (key !== undefined) {
      seen = { key, since: performance.now() }
    }
    await sleep(RETRY_MS * (1 + Math.random()), undefined, { signal })
  }
}

async function create(path: string, token: string): Promise<boolean> {
  try {
    await writeFile(path, token, { flag: 'wx' })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

/** Which lock it is; the clocks of a file system and of this process need not agree, so no age is computed from it. */
async function keyOf(path: string): Promise<string | undefined> {
  try {
    const { ino, mtimeNs } = await stat(path, { bigint: true })
    return `${ino}:${mtimeNs}`
  } catch {
    return undefined
  }
}

/** Of all who see the same abandoned lock one takes it away. Who was so late that it got a new one by that gives it back. */
async function takeAway(path: string, abandoned: string): Promise<void> {
  const aside = `${path}.${randomUUID()}.tmp`
  try {
    await rename(path, aside)
  } catch {
    return
  }
  if ((await keyOf(aside)) !== abandoned) await link(aside, path).catch(() => undefined)
  await rm(aside, { force: true })
}
