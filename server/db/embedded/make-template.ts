import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { openDatabase } from '../database.ts'
import { migrate } from '../migrate.ts'
import { findPackage } from './binaries.ts'
import { startEmbeddedPostgres } from './start.ts'
import { templateFile, templatePrefix, templates_folder } from './template.ts'
import { packCluster } from './template-file.ts'

/**
 * Makes the cluster that first starts of this installation copy: as they would make it themselves, migrated and shut
 * down. It holds no secret and nothing of this machine. Answers its file; those of other releases go away.
 */
export async function makeTemplate(folder = templates_folder): Promise<string> {
  const workplace = await mkdtemp(join(tmpdir(), 'stint-template-'))
  try {
    const file = await templateFile(folder, findPackage())
    await makeCluster(workplace)
    await mkdir(folder, { recursive: true })
    await packCluster(join(workplace, 'postgres'), file)
    for (const name of await readdir(folder)) {
      if (name.startsWith(templatePrefix) && name !== basename(file)) await rm(join(folder, name), { force: true })
    }
    return file
  } finally {
    await rm(workplace, { recursive: true, force: true })
  }
}

async function makeCluster(data_dir: string): Promise<void> {
  const server = await startEmbeddedPostgres({ data_dir })
  try {
    const database = openDatabase(server.owner, { connections_max: 1 })
    await migrate(database).finally(() => database.close())
  } finally {
    await server.stop()
  }
}
