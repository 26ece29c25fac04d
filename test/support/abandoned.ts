import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Removes what killed processes left in a folder: names that are `prefix` and the number of a process that is gone, whatever
 * follows. What cannot be removed, another user's for one, stays.
 */
export async function removeAbandoned(folder: string, prefix: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const pid = Number.parseInt(name.slice(prefix.length), 10)
    if (!name.startsWith(prefix) || !(pid > 0) || isAlive(pid)) continue
    await rm(join(folder, name), { recursive: true, force: true }).catch(() => undefined)
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
