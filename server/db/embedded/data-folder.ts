import { access, constants, mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { EmbeddedPostgresError } from './error.ts'

/** Where the pieces of the embedded server lie inside Stint's data folder; all paths absolute. */
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

/** Creates the data folder (0700) when missing. Throws `data_folder_unusable` when this user cannot work in it. */
export async function openDataFolder(data_dir: string): Promise<DataFolder> {
  const folder = dataFolderAt(resolve(data_dir))
  try {
    await mkdir(folder.path, { recursive: true, mode: 0o700 })
    await access(folder.path, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (cause) {
    throw unusable(`The data folder ${folder.path} cannot be used: ${cause}`, cause)
  }
  const uid = process.geteuid?.()
  const owner = await ownerOf(folder.cluster)
  // root may use every folder; it then runs the server as the owner.
  if (uid && owner !== undefined && owner !== uid) {
    throw unusable(`The database in ${folder.cluster} belongs to uid ${owner}, but Stint runs as uid ${uid}`)
  }
  return folder
}

function unusable(reason: string, cause?: unknown): EmbeddedPostgresError {
  return new EmbeddedPostgresError('data_folder_unusable', `${reason}. Set STINT_DATA_DIR to another folder.`, {
    cause,
  })
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
