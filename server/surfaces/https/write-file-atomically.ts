import { randomUUID } from 'node:crypto'
import { rename, rm, writeFile } from 'node:fs/promises'

/** A reader sees the old text or the new one, also after a power cut; the mode holds from the first byte on. */
export async function writeFileAtomically(path: string, text: string, mode: number): Promise<void> {
  const draft = `${path}.${randomUUID()}`
  try {
    await writeFile(draft, text, { mode, flag: 'wx', flush: true })
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
