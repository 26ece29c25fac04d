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
