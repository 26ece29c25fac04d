import { copyFile, type FileHandle, open, rm, stat, truncate } from 'node:fs/promises'
import { undefinedWhenMissing } from './data-folder.ts'
import type { User } from './run-as.ts'

const log_bytes_max = 8 * 1024 * 1024
const tail_bytes_max = 8 * 1024
const tail_lines_max = 20

/** Opens the log (0600, belonging to `user`) for appending, so that it may be cut while the server holds it. */
export async function openLog(path: string, user?: User): Promise<FileHandle> {
  const handle = await open(path, 'a', 0o600)
  if (user) await handle.chown(user.uid, user.gid)
  return handle
}

/** The size in bytes, 0 when there is no log yet. */
export async function sizeOfLog(path: string): Promise<number> {
  return (await stat(path).catch(undefinedWhenMissing))?.size ?? 0
}

/**
 * Keeps the log bounded: beyond 8 MiB it moves to `<path>.1`, replacing the one before. The server writes straight to
 * the file, not through the service or a collector process, so that it can outlive the service.
 */
export async function boundLog(path: string): Promise<void> {
  if ((await sizeOfLog(path)) <= log_bytes_max) return
  await rm(`${path}.1`, { force: true })
  await copyFile(path, `${path}.1`)
  await truncate(path)
}

/** The last lines written after byte `since`. */
export async function tailOfLog(path: string, since = 0): Promise<string> {
  const handle = await open(path, 'r')
  try {
    const { size } = await handle.stat()
    const start = Math.max(since, size - tail_bytes_max)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(tail_bytes_max), 0, tail_bytes_max, start)
    return buffer.toString('utf8', 0, bytesRead).trimEnd().split('\n').slice(-tail_lines_max).join('\n')
  } finally {
    await handle.close()
  }
}
