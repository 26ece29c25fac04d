import { access, constants, mkdir, open, readdir, rm, stat, statfs } from 'node:fs/promises'
import { join, resolve } from 'node:path'

/** The places of the embedded server's pieces inside Stint's data folder; all paths absolute. */
export interface DataFolder {
  readonly path: string
  readonly cluster: string
  readonly log_file: string
  readonly socket_folder: string
  readonly libraries: string
  readonly password_file: string
}

/** A cluster under construction; it gets its real name only when it is complete. */
export const stagingPrefix = 'postgres.new-'

/** Creates the data folder (0700) when missing. Throws the file system's own error when this user cannot work in it. */
export async function openDataFolder(data_dir: string): Promise<DataFolder> {
  const folder = dataFolderAt(resolve(data_dir))
  await mkdir(folder.path, { recursive: true, mode: 0o700 })
  await access(folder.path, constants.R_OK | constants.W_OK | constants.X_OK)
  const uid = process.geteuid?.()
  const owner = await ownerOf(folder.cluster)
  // root may use every folder; it then runs the server as the owner.
  if (uid && owner !== undefined && owner !== uid) {
    const reason = `The database in ${folder.cluster} belongs to uid ${owner}, but Stint runs as uid ${uid}`
    throw new EmbeddedPostgresError('data_folder_unusable', `${reason}. Set STINT_DATA_DIR to another folder.`)
  }
  return folder
}

/** True when a start has made a database in this data folder. Makes nothing, not even the folder. */
export async function hasCluster(data_dir: string): Promise<boolean> {
  return (await ownerOf(dataFolderAt(resolve(data_dir)).cluster)) !== undefined
}

/** A cluster with what it writes at its first start. */
const new_cluster_mib = 100
/** A segment of its log, which it must be able to write. */
const cluster_mib = 16

/** Refuses a disk on which the server would start and fail, with nothing but a log that cannot be written either. */
export async function requireSpace(folder: DataFolder): Promise<void> {
  const { bavail, blocks, bsize } = await statfs(folder.path)
  const left_mib = Math.floor((bavail * bsize) / 2 ** 20)
  const is_new = (await ownerOf(folder.cluster)) === undefined
  const needed_mib = is_new ? new_cluster_mib : cluster_mib
  // Some file systems do not tell.
  if (blocks === 0 || left_mib >= needed_mib) return
  const reason = `The disk of the data folder ${folder.path} is full: ${left_mib} MiB are left, and ${is_new ? 'a new' : 'the'} database needs ${needed_mib}`
  throw new EmbeddedPostgresError(
    'data_folder_unusable',
    `${reason}. Free some space, or set STINT_DATA_DIR to another folder.`,
  )
}

function dataFolderAt(path: string): DataFolder {
  return {
    path,
    cluster: join(path, 'postgres'),
    log_file: join(path, 'postgres.log'),
    socket_folder: join(path, 'postgres-socket'),
    libraries: join(path, 'postgres-libraries'),
    password_file: join(path, 'postgres.password'),
  }
}

/** The numeric owner of a file or folder, undefined when there is none of that name. */
export async function ownerOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(undefinedWhenMissing))?.uid
}

/** For `.catch`: a missing file is an answer, every other failure stays an error. */
export function undefinedWhenMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

/** Removes what an initdb that was killed in the middle left behind. Only for the holder of the service lock. */
export async function removeStagedClusters(folder: DataFolder): Promise<void> {
  for (const name of await readdir(folder.path)) {
    if (name.startsWith(stagingPrefix)) {
      // Retries: an orphaned initdb may still be writing; it fails on its missing files and removes the rest itself.
      await rm(join(folder.path, name), { recursive: true, force: true, maxRetries: 3 })
    }
  }
}

/** Makes a rename inside `path` survive a power cut. Windows cannot open a folder and needs no such call. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

type EmbeddedPostgresFault =
  | 'no_binaries'
  | 'data_folder_unusable'
  | 'data_folder_in_use'
  | 'identity_refused'
  | 'start_failed'

/** Why the embedded server cannot be used; `message` is written for the operator and says what to do next. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError'
  readonly code: EmbeddedPostgresFault

  constructor(code: EmbeddedPostgresFault, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
