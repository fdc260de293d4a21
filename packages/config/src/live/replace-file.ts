import { randomUUID } from 'node:crypto'
import { open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Puts a text in the place of a file: whoever reads sees the old one or the new one, after a crash too. Keeps the file's mode.
 * `before` runs when the new file is on the disk, right before it takes the other's place; its throw leaves everything as it was.
 */
export async function replaceFile(path: string, text: string, before?: () => Promise<void>): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`
  try {
    const mode = await modeOf(path)
    const file = await open(temporary, 'wx', mode)
    try {
      if (mode !== undefined) await file.chmod(mode)
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await before?.()
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await syncFolder(dirname(path))
}

async function modeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mode & 0o777
  } catch {
    return undefined
  }
}

/** So that the rename outlives a power cut. Some systems cannot open a folder: there it is as durable as they make it. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  } catch {
    // The new file is in its place.
  }
}
