import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeAbandoned } from './abandoned.ts'
import { folder_variable } from './once-per-run.ts'
import { type DatabaseServer, server_variable, startDatabaseServer } from './server-of-run.ts'

let server: DatabaseServer | undefined
let folder: string | undefined

/** Once per test run (`scripts/test.ts`): one database server for all test files. A file run by itself starts its own. */
export async function globalSetup(): Promise<void> {
  folder = await temporaryFolder()
  process.env.TMPDIR = folder
  process.env[folder_variable] = folder
  server = await startDatabaseServer()
  const { connection, login, template } = server
  process.env[server_variable] = JSON.stringify({ connection, login, template })
}

export async function globalTeardown(): Promise<void> {
  await server?.stop()
  if (folder) await rm(folder, { recursive: true, force: true })
}

const memory = '/dev/shm'
const memory_bytes_min = 3 * 1024 ** 3
const prefix = 'stint-tests-'

/**
 * The folder for temporary files of the whole run, in memory where there is room (Linux, not Docker's 64 MB): making a
 * database there takes 0.05 s of the system's time, on a busy disk 0.65 s, since each is 640 files that are synced.
 */
async function temporaryFolder(): Promise<string> {
  const place = (await hasRoom(memory)) ? memory : tmpdir()
  // A database server that runs on without its folder ends itself.
  await removeAbandoned(place, prefix)
  const path = await mkdtemp(join(place, `${prefix}${process.pid}-`))
  // As for every folder of temporary files: a database server may run as another user.
  await chmod(path, 0o1777)
  return path
}

async function hasRoom(path: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(path).catch(() => ({ bavail: 0, bsize: 0 }))
  return bavail * bsize >= memory_bytes_min
}
