import { execFile } from 'node:child_process'
import { chown, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { passwordOf, type Transport } from './address.ts'
import type { Binaries } from './binaries.ts'
import { type DataFolder, stagingPrefix, syncFolder, undefinedWhenMissing } from './data-folder.ts'
import { EmbeddedPostgresError } from './error.ts'
import { childEnvironment } from './postmaster.ts'
import type { RunAs } from './run-as.ts'
import { clusterSettings } from './settings.ts'

/** Superuser of the cluster and name of the service's database. */
export const cluster_user = 'stint'

const init_timeout_ms = 120_000
const run = promisify(execFile)

/**
 * Makes the cluster where there is none (0.5 s). It comes to life under another name and is on disk before the rename,
 * so that `postgres/` is whole whenever it exists, whatever killed an initdb before. Two services may do this at once:
 * the second rename fails, and its cluster goes away. initdb syncs by itself, file by file (0.1 s of it): syncing the
 * whole file system is 60 ms faster on an idle disk, but would wait for everything `npm ci` has just written.
 */
export async function ensureCluster(
  folder: DataFolder,
  binaries: Binaries,
  runAs: RunAs,
  transport: Transport,
): Promise<void> {
  if (await exists(folder.cluster)) return
  const staging = await mkdtemp(join(folder.path, stagingPrefix))
  try {
    if (runAs.user) await chown(staging, runAs.user.uid, runAs.user.gid)
    if (transport === 'tcp') await passwordOf(folder, runAs.user)
    await initialize(staging, folder, binaries, runAs, transport)
    await rename(staging, folder.cluster)
    await syncFolder(folder.path)
  } catch (error) {
    await rm(staging, { recursive: true, force: true })
    if (!(await exists(folder.cluster))) throw error
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(undefinedWhenMissing)) !== undefined
}

async function initialize(
  staging: string,
  folder: DataFolder,
  binaries: Binaries,
  { prefix, user }: RunAs,
  transport: Transport,
): Promise<void> {
  const access =
    transport === 'tcp'
      ? ['--auth-local=reject', '--auth-host=scram-sha-256', `--pwfile=${folder.password_file}`]
      : // Whoever may enter the 0700 folder of the socket is the owner.
        ['--auth-local=trust', '--auth-host=reject']
  const [file, ...args] = [
    ...[...prefix, binaries.initdb, '-D', staging, '-U', cluster_user, '--no-instructions'],
    ...['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', ...access],
    ...Object.entries(clusterSettings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
  const env = childEnvironment(binaries)
  try {
    await run(file as string, args, { ...user, cwd: folder.path, env, timeout: init_timeout_ms, windowsHide: true })
  } catch (cause) {
    throw new EmbeddedPostgresError('start_failed', `initdb could not create ${folder.cluster}: ${cause}`, { cause })
  }
}
