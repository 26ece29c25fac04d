import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { defaultTransport } from '#db/embedded/address.ts'
import { findBinaries } from '#db/embedded/binaries.ts'
import { ensureCluster } from '#db/embedded/cluster.ts'
import { openDataFolder } from '#db/embedded/data-folder.ts'
import { chooseRunAs } from '#db/embedded/run-as.ts'

/** What a start does first: makes the cluster of a data folder, with a template of this folder if there is one. */
export async function makeClusterIn(data_dir: string, templates: string): Promise<void> {
  const folder = await openDataFolder(data_dir)
  const binaries = await findBinaries(folder)
  const runAs = await chooseRunAs(folder, binaries.postgres)
  await ensureCluster(folder, { binaries, runAs, transport: defaultTransport, templates })
}

/** Whether every user may enter: then root's stand-in reaches the programs there. */
export async function isOpenToAll(path: string): Promise<boolean> {
  for (let folder = path; folder !== dirname(folder); folder = dirname(folder)) {
    if (((await stat(folder)).mode & 0o001) === 0) return false
  }
  return true
}
