import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

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
