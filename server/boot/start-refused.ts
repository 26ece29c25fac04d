import { resolve, sep } from 'node:path'
import { reasonOf } from '#db/make-folder.ts'
import type { Config } from './config.ts'

/** The reason to stop a start, and the operator's remedy; ends the process with status 78 (EX_CONFIG). */
export class StartRefused extends Error {
  override readonly name = 'StartRefused'
}

/**
 * An error of the file system in the data folder, or on the way to it, as what the operator can put right. Every other
 * error stays what it is.
 */
export function refuseDataDir({ STINT_DATA_DIR }: Config, error: unknown): unknown {
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
