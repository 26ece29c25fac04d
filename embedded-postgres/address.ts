import { createHash, randomBytes } from 'node:crypto'
import { chmod, chown, lstat, mkdir, mkdtemp, readFile, rmdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type DataFolder, undefinedWhenMissing } from './data-folder.ts'
import type { User } from './run-as.ts'

/**
 * `socket`: a unix socket in a 0700 folder, which alone decides who may connect. `tcp`: 127.0.0.1 with a random port
 * and a password (SCRAM), for Windows, where no Node program can open PostgreSQL's unix sockets.
 */
export type Transport = 'socket' | 'tcp'

export const defaultTransport: Transport = process.platform === 'win32' ? 'tcp' : 'socket'

/** The address of the server: a folder for its unix socket, or a TCP port of 127.0.0.1. */
export interface Address {
  readonly host: string
  readonly port: number
}

/** The port only names the socket file. */
const socket_port = 5432
const socketFile = `.s.PGSQL.${socket_port}`

/** sockaddr_un.sun_path without its closing zero on macOS; Linux has four more. */
const socket_path_bytes_max = 103

const shortPrefix = 'stint-postgres-'

/**
 * The address for the next start of the server: `previous` again if there is one. A folder for the socket exists then
 * and belongs to `user`.
 */
export async function chooseAddress(
  folder: DataFolder,
  transport: Transport,
  { previous, user }: { previous?: Address | undefined; user?: User | undefined } = {},
): Promise<Address> {
  if (transport === 'tcp') return previous ?? { host: '127.0.0.1', port: await freePort() }
  const host = previous?.host ?? (fits(folder.socket_folder) ? folder.socket_folder : await shortFolder(folder, user))
  await mkdir(host, { recursive: true, mode: 0o700 })
  await chmod(host, 0o700)
  if (user) await chown(host, user.uid, user.gid)
  return { host, port: socket_port }
}

function fits(socket_folder: string): boolean {
  return Buffer.byteLength(join(socket_folder, socketFile)) <= socket_path_bytes_max
}

/**
 * A folder beside the data folder would be too long as well, so it lies in the temporary folder. Its name follows from
 * the data folder: every start uses the same one, and nothing piles up after crashes. Where somebody else made a folder
 * of that name, a random one serves.
 */
async function shortFolder(folder: DataFolder, user?: User): Promise<string> {
  const temporary = [tmpdir(), '/tmp'].find((path) => fits(join(path, `${shortPrefix}0123456789ab`))) ?? '/tmp'
  const digest = createHash('sha256').update(folder.path).digest('hex').slice(0, 12)
  const path = join(temporary, shortPrefix + digest)
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  const found = await lstat(path)
  const ours = found.isDirectory() && (found.uid === user?.uid || found.uid === process.geteuid?.())
  return ours ? path : mkdtemp(join(temporary, shortPrefix))
}

/** After the server's end: removes a folder of `shortFolder`, empty by then. Leaves any other folder alone. */
export async function releaseAddress({ host }: Address): Promise<void> {
  if (!basename(host).startsWith(shortPrefix)) return
  // Not empty means that another server listens there already: its folder now.
  await rmdir(host).catch(() => undefined)
}

/** The password of the `tcp` transport, made on first use (0600, belonging to `user`). */
export async function passwordOf(folder: DataFolder, user?: User): Promise<string> {
  const existing = await readFile(folder.password_file, 'utf8').catch(undefinedWhenMissing)
  if (existing !== undefined) return existing
  const password = randomBytes(24).toString('base64url')
  await writeFile(folder.password_file, password, { mode: 0o600, flag: 'wx' })
  if (user) await chown(folder.password_file, user.uid, user.gid)
  return password
}

function freePort(): Promise<number> {
  const server = createServer()
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
