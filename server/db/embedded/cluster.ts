import { execFile } from 'node:child_process'
import { chown, mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { passwordOf, type Transport } from './address.ts'
import { type Binaries, findPackage } from './binaries.ts'
import { type DataFolder, stagingPrefix, syncFolder, undefinedWhenMissing } from './data-folder.ts'
import { EmbeddedPostgresError } from './error.ts'
import { childEnvironment } from './postmaster.ts'
import type { RunAs } from './run-as.ts'
import { initdbWords, socketAccess } from './settings.ts'
import { templateFile, templates_folder } from './template.ts'
import { unpackCluster } from './template-file.ts'

const init_timeout_ms = 120_000
const run = promisify(execFile)

/** What a cluster is made with, and for whom. */
export interface Makings {
  binaries: Binaries
  runAs: RunAs
  transport: Transport
  /** Where clusters made ahead lie; those of the installation unless a test has its own. */
  templates?: string
  /** Ends initdb. */
  signal?: AbortSignal | undefined
}

/**
 * Makes the cluster where there is none: out of the template that the installation made, else with initdb. It comes to
 * life under another name and is on disk before the rename, so that `postgres/` is whole whenever it exists, whatever
 * killed its making before. Two services may do this at once: the second rename fails, and its cluster goes away.
 */
export async function ensureCluster(folder: DataFolder, makings: Makings): Promise<void> {
  if (await exists(folder.cluster)) return
  const { user } = makings.runAs
  const staging = await mkdtemp(join(folder.path, stagingPrefix))
  try {
    await own(staging, makings.runAs)
    if (makings.transport === 'tcp') await passwordOf(folder, user)
    if (!(await copyTemplate(staging, folder, makings))) await initialize(staging, folder, makings)
    await rename(staging, folder.cluster)
    await syncFolder(folder.path)
  } catch (error) {
    // Retries: processes of an initdb that was ended may still be writing.
    await rm(staging, { recursive: true, force: true, maxRetries: 5 })
    if (!(await exists(folder.cluster))) throw error
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(undefinedWhenMissing)) !== undefined
}

async function own(path: string, { user }: RunAs): Promise<void> {
  if (user) await chown(path, user.uid, user.gid)
}

/**
 * False, with `staging` empty again, where the template cannot be used: none was made (`npm ci --ignore-scripts`), it is
 * of another release, damaged, or not ours to read. initdb is right in each case, and tells of a disk that is full.
 */
async function copyTemplate(staging: string, folder: DataFolder, makings: Makings): Promise<boolean> {
  // The template trusts whoever reaches the socket; over TCP a password decides, which initdb sets.
  if (makings.transport === 'tcp') return false
  const { runAs, templates = templates_folder } = makings
  try {
    await unpackCluster(await templateFile(templates, findPackage()), staging, runAs.user)
    await initdb(['--sync-only', '-D', staging], folder, makings)
    return true
  } catch {
    await rm(staging, { recursive: true, force: true })
    await mkdir(staging, { mode: 0o700 })
    await own(staging, runAs)
    return false
  }
}

/**
 * initdb syncs by itself, file by file (0.1 s of it): syncing the whole file system is 60 ms faster on an idle disk, but
 * would wait for everything `npm ci` has just written.
 */
async function initialize(staging: string, folder: DataFolder, makings: Makings): Promise<void> {
  const password = ['--auth-local=reject', '--auth-host=scram-sha-256', `--pwfile=${folder.password_file}`]
  const access = makings.transport === 'tcp' ? password : socketAccess
  try {
    await initdb(['-D', staging, ...initdbWords, ...access], folder, makings)
  } catch (cause) {
    throw new EmbeddedPostgresError('start_failed', `initdb could not create ${folder.cluster}: ${wordsOf(cause)}`, {
      cause,
    })
  }
}

/** Its own words; not the command with all its settings, which comes before them in the error. */
function wordsOf(cause: unknown): string {
  const { stderr } = cause as { stderr?: string }
  return stderr?.trim() || String(cause)
}

async function initdb(
  words: readonly string[],
  folder: DataFolder,
  { binaries, runAs: { prefix, user }, signal }: Makings,
): Promise<void> {
  const [file, ...args] = [...prefix, binaries.initdb, ...words]
  const env = childEnvironment(binaries)
  await run(file as string, args, {
    ...user,
    cwd: folder.path,
    env,
    timeout: init_timeout_ms,
    windowsHide: true,
    signal,
  })
}
