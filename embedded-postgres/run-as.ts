import { execFile } from 'node:child_process'
import { chown, lchown, readdir, readFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type DataFolder, EmbeddedPostgresError, ownerOf } from './data-folder.ts'

/** The identity under which initdb and postgres run: both refuse uid 0 and, initdb, a uid without a name. */
export interface RunAs {
  /** Program and arguments that go before the command. */
  readonly prefix: readonly string[]
  /** Set when the programs run as another user; what they write to must then belong to that user. */
  readonly user?: User
}

export interface User {
  uid: number
  gid: number
}

const run = promisify(execFile)
const probe_timeout_ms = 5_000

/**
 * - Ordinary user (and Windows): plainly.
 * - root, on files of root: inside a user namespace (util-linux `unshare`), where root's own uid bears an ordinary
 *   number. To the file system it stays root, so a checkout under a 0700 folder works.
 * - root, on files of an ordinary user, or without namespaces (Docker's default profile): as that user, or as `nobody`,
 *   to whom the data folder is given.
 * Throws `identity_refused` when no identity reaches both the data folder and the programs.
 */
export async function chooseRunAs(folder: DataFolder, program: string): Promise<RunAs> {
  const uid = process.geteuid?.()
  if (uid === undefined) return { prefix: [] }
  // A bare number (`docker run --user 1234`) also needs the namespace, to bear a name.
  if (uid !== 0 && hasName()) return { prefix: [] }
  const owner = (await ownerOf(folder.cluster)) ?? (await ownerOf(folder.path)) ?? uid
  if (uid === 0 && owner !== 0) return asUser(await withGroup(owner), folder, program)
  const namespace = await inUserNamespace()
  if (await reaches(namespace, folder, program)) return namespace
  return uid === 0 ? asAnotherUser(folder, program) : { prefix: [] }
}

function hasName(): boolean {
  try {
    userInfo()
    return true
  } catch {
    return false
  }
}

async function inUserNamespace(): Promise<RunAs> {
  // Any number other than 0 does inside, as long as it has a name there.
  const { uid, gid } = await nobody()
  return { prefix: ['unshare', '--user', `--map-user=${uid}`, `--map-group=${gid}`] }
}

async function asAnotherUser(folder: DataFolder, program: string): Promise<RunAs> {
  const user = await ordinaryOwnerAbove(folder.path)
  await chown(folder.path, user.uid, user.gid)
  try {
    const runAs = await asUser(user, folder, program)
    await giveTo(folder.cluster, user)
    return runAs
  } catch (error) {
    await chown(folder.path, 0, 0)
    throw error
  }
}

async function asUser(user: User, folder: DataFolder, program: string): Promise<RunAs> {
  const runAs = { prefix: [], user }
  if (await reaches(runAs, folder, program)) return runAs
  throw new EmbeddedPostgresError(
    'identity_refused',
    `PostgreSQL does not run as root. Here it would run as uid ${user.uid}, which cannot reach ${folder.path} or ` +
      `${program}: a folder above is closed to other users. (In a user namespace it would reach folders of root, but ` +
      "`unshare` of util-linux is missing or not allowed, or the folders are not root's.) " +
      'Start Stint as the ordinary user who owns its folder, choose another STINT_DATA_DIR, or set DATABASE_URL.',
  )
}

/** Hands over a cluster that root created while namespaces were still allowed. */
async function giveTo(cluster: string, { uid, gid }: User): Promise<void> {
  if ((await ownerOf(cluster)) === undefined) return
  for (const entry of await readdir(cluster, { recursive: true })) await lchown(join(cluster, entry), uid, gid)
  // The folder itself last: its owner tells whether the hand-over is complete.
  await chown(cluster, uid, gid)
}

async function reaches({ prefix, user }: RunAs, folder: DataFolder, program: string): Promise<boolean> {
  const script = ['/bin/sh', '-c', 'test -w "$1" && test -x "$2"', 'sh', folder.path, program]
  const [file, ...args] = [...prefix, ...script]
  return run(file as string, args, { ...user, cwd: '/', timeout: probe_timeout_ms }).then(
    () => true,
    // Not installed, not permitted or not reachable: each means that the next identity is tried.
    () => false,
  )
}

/** The first ordinary owner of a folder on the way up: whoever made the checkout. Else `nobody`. */
async function ordinaryOwnerAbove(path: string): Promise<User> {
  for (let above = dirname(path); above !== dirname(above); above = dirname(above)) {
    const owner = await ownerOf(above)
    if (owner !== undefined && owner !== 0) return withGroup(owner)
  }
  return nobody()
}

async function withGroup(uid: number): Promise<User> {
  return (await accounts()).find((account) => account.uid === uid) ?? { uid, gid: uid }
}

async function nobody(): Promise<User> {
  return (await accounts()).find((account) => account.name === 'nobody') ?? { uid: 65_534, gid: 65_534 }
}

async function accounts(): Promise<(User & { name: string })[]> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'))
  return lines.map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
}
