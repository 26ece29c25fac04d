import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve, sep } from 'node:path'
import { StartRefused } from './start-refused.ts'

/**
 * Makes a folder and those above it. Not by Node's `recursive`, which tries for ever, and through every signal, where a file
 * system says of a new folder that the one above it is missing: /proc does.
 */
export function makeFolder(path: string, mode = 0o700): void {
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
    if (code !== 'ENOENT' || existsSync(dirname(path))) throw error
    makeFolder(dirname(path), mode)
    makeFolder(path, mode)
  }
}

const reasons: Record<string, string> = {
  EACCES: 'this user may not use it',
  EDQUOT: 'the quota of this user is used up',
  EEXIST: 'there is a file of that name',
  EISDIR: 'a folder lies where a file belongs',
  ENOENT: 'no folder can be made there',
  ENOSPC: 'its disk is full',
  ENOTDIR: 'it, or what is above it, is a file',
  EPERM: 'this user may not use it',
  EROFS: 'its file system is read-only',
}

/** Why the file system refused, in words that an operator reads, with its own behind them. */
export function reasonOf(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  return Object.hasOwn(reasons, code) ? `${reasons[code]} (${message})` : String(message)
}

/**
 * An error of the file system in the data folder, or on the way to it, as what the operator can put right. Every other
 * error stays what it is.
 */
export function refuseDataDir({ STINT_DATA_DIR }: { STINT_DATA_DIR: string }, error: unknown): unknown {
  const { path, syscall } = error as NodeJS.ErrnoException
  if (!(error instanceof Error) || typeof path !== 'string' || !syscall) return error
  const data_dir = resolve(STINT_DATA_DIR)
  if (!lies(path, data_dir) && !lies(data_dir, path)) return error
  const advice = 'Put that right, or set STINT_DATA_DIR to another folder.'
  return new StartRefused(`The data folder ${data_dir} cannot be used: ${reasonOf(error)}. ${advice}`, { cause: error })
}

function lies(path: string, folder: string): boolean {
  return `${path}${sep}`.startsWith(`${folder}${sep}`)
}
