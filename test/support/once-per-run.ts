import { existsSync, rmSync } from 'node:fs'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Tells the processes of a run its folder for temporary files, which goes with the run. */
export const folder_variable = 'TEST_RUN_FOLDER'

/**
 * A folder that many test files read and none writes, made once for all of them; two processes may want it at once. A file
 * that is run by itself makes its own.
 */
export async function oncePerRun(name: string, make: (folder: string) => Promise<unknown>): Promise<string> {
  const run = process.env[folder_variable]
  const kept = join(run ?? tmpdir(), run ? name : `${name}-${process.pid}`)
  if (existsSync(kept)) return kept
  const folder = await mkdtemp(`${kept}.`)
  await make(folder)
  if (!run) process.once('exit', () => rmSync(kept, { recursive: true, force: true }))
  // The other process was faster where one is there by now.
  await rename(folder, kept).catch(async (error) => {
    await rm(folder, { recursive: true, force: true })
    if (!existsSync(kept)) throw error
  })
  return kept
}
