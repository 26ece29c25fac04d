import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readMigrations } from '../migrate.ts'
import { initdbWords, socketAccess } from './settings.ts'

/** Beside the installed packages: it belongs to this installation and goes with it. */
export const templates_folder = fileURLToPath(new URL('../../../node_modules/.cache/stint/', import.meta.url))

export const templatePrefix = 'cluster-'

/**
 * The file of a cluster made ahead, in its folder. The name follows from all that makes the cluster what it is: server,
 * system, settings, migrations. So a template of another release is not found, instead of used.
 */
export async function templateFile(folder: string, package_folder: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(package_folder, 'package.json'), 'utf8')) as { version: string }
  const migrations = await readMigrations()
  const words = [...initdbWords, ...socketAccess]
  const makings = [
    version,
    process.platform,
    process.arch,
    words,
    migrations.map(({ version: number, checksum }) => [number, checksum]),
  ]
  const digest = createHash('sha256').update(JSON.stringify(makings)).digest('hex').slice(0, 16)
  return join(folder, `${templatePrefix}${version}-${digest}`)
}
