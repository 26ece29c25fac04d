import { statfs } from 'node:fs/promises'
import { counter, gauge } from '#core/metrics.ts'
import { diskFull } from '#db/errors.ts'
import type { ReadinessCheck } from './management-server.ts'

/** Four segments of the write-ahead log: with less PostgreSQL stops in the middle of a transaction. */
const full_bytes = 64 * 1024 ** 2
const low_bytes = 512 * 1024 ** 2

/** So long a write that failed for want of space counts. Then calls are let in again, and tell. */
const failure_counts_ms = 60_000

let watched: string | null = null

const free = gauge('data_folder_free_bytes', 'Space that is free for the data folder.', ['folder'], async function () {
  this.reset()
  const space = watched === null ? null : await spaceOf(watched)
  if (space && watched !== null) this.set({ folder: watched }, space.free_bytes)
})
const failed_help = 'Statements that failed because the database had no space on its disk.'
counter('db_disk_full_total', failed_help, [], function () {
  this.reset()
  this.inc(diskFull.failures)
})

/** From now on the metric tells of this folder; null when nothing is kept there any more. */
export function watchDataFolder(folder: string | null): void {
  watched = folder
  free.reset()
}

/**
 * Checks whether the database has room to write: what its last statements said, and, where its data are in a folder of
 * ours, what is left there.
 */
export function diskCheck(folder: string | null, now: () => number, look = spaceOf): ReadinessCheck {
  return async () => {
    const ago_ms = now() - diskFull.last_at_ms
    if (ago_ms < failure_counts_ms)
      return `the database had no space on its disk ${Math.round(ago_ms / 1_000)} s ago: make room there`
    const space = folder === null ? null : await look(folder)
    if (!space) return null
    if (!space.has_free_files) return `${folder} has no room for another file (no free inode): remove files there`
    const left = `${Math.round(space.free_bytes / 1024 ** 2)} MiB are free for ${folder}`
    if (space.free_bytes < full_bytes) return `${left}, less than ${full_bytes / 1024 ** 2}: make room there`
    return space.free_bytes < low_bytes ? { warning: `${left}: make room there soon` } : null
  }
}

async function spaceOf(folder: string) {
  try {
    const { bavail, bsize, files, ffree } = await statfs(folder)
    // Some file systems have no fixed number of files, and say 0 of 0.
    return { free_bytes: bavail * bsize, has_free_files: files === 0 || ffree > 0 }
  } catch {
    // A folder that cannot be looked at is told by the database, which lies in it.
    return null
  }
}
