import { execFile, spawn } from 'node:child_process'
import { copyFile, type FileHandle, open, readFile, rm, stat, truncate, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Address } from './address.ts'
import { type Binaries, childEnvironment, findPackage, programOf } from './binaries.ts'
import { serverArguments } from './cluster.ts'
import { type DataFolder, undefinedWhenMissing } from './data-folder.ts'
import type { RunAs, User } from './run-as.ts'

/** PostgreSQL's supervisor process; `address` is there while it takes connections, not while it starts or stops. */
export interface Postmaster {
  readonly pid: number
  readonly address?: Address
}

const run = promisify(execFile)
const poll_ms = 10
const command_timeout_ms = 30_000

/** The living postmaster of a cluster, whoever started it. */
export async function findPostmaster(cluster: string): Promise<Postmaster | undefined> {
  // Its lines, as pg_ctl reads them: pid, data folder, start, port, socket folder, TCP address, shared memory, state.
  const lines = (await readLines(join(cluster, 'postmaster.pid'))) ?? []
  const pid = Number(lines[0])
  if (!(await isPostmasterOf(pid, cluster))) return undefined
  const host = lines[4] || lines[5]
  return host && lines[7]?.trim() === 'ready' ? { pid, address: { host, port: Number(lines[3]) } } : { pid }
}

async function readLines(path: string): Promise<string[] | undefined> {
  return (await readFile(path, 'utf8').catch(undefinedWhenMissing))?.split('\n')
}

/** True when the process lives and is the postmaster of this cluster, not a stranger that got the number later. */
async function isPostmasterOf(pid: number, cluster: string): Promise<boolean> {
  if (!isAlive(pid)) return false
  if (process.platform === 'linux') {
    // A postmaster works in its data folder. Inaccessible means another user's process, hence not the owner's server.
    const working = await stat(`/proc/${pid}/cwd`).catch(() => undefined)
    const own = await stat(cluster).catch(undefinedWhenMissing)
    return working !== undefined && working.dev === own?.dev && working.ino === own.ino
  }
  const [file, args]: [string, string[]] =
    process.platform === 'win32'
      ? ['tasklist', ['/NH', '/FI', `PID eq ${pid}`]]
      : ['ps', ['-o', 'comm=', '-p', String(pid)]]
  // Failing means that the process is gone by now.
  const { stdout } = await run(file, args, { timeout: command_timeout_ms }).catch(() => ({ stdout: '' }))
  return stdout.includes('postgres')
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * After a reboot or in a new container the pid in a left-over lock file may belong to another process; PostgreSQL would
 * take that for a living server and refuse to start. Only our own pid tells it otherwise: it knows that its parent is no
 * postmaster. So the file is not removed, and its other guard, the shared memory segment named there, stays in force.
 */
export async function disownStaleLock(cluster: string): Promise<void> {
  const path = join(cluster, 'postmaster.pid')
  const lines = await readLines(path)
  if (lines === undefined || !isAlive(Number(lines[0])) || (await isPostmasterOf(Number(lines[0]), cluster))) return
  const [, , , port, socket_folder] = lines
  await writeFile(path, [process.pid, ...lines.slice(1)].join('\n'))
  if (socket_folder) await unlink(join(socket_folder, `.s.PGSQL.${port}.lock`)).catch(undefinedWhenMissing)
}

/** A server just started: `exited` holds the reason as soon as its process is gone, or never came to be. */
export interface StartedProcess {
  readonly pid: number | undefined
  exited?: string
}

/**
 * Starts the server in its own session: Ctrl-C in the terminal reaches the service only, which ends the server when its
 * own work is done; and a service that is killed leaves a working server for the next one to adopt.
 */
export async function spawnPostmaster(
  folder: DataFolder,
  binaries: Binaries,
  { prefix, user }: RunAs,
  address: Address,
): Promise<StartedProcess> {
  const [file, ...args] = [...prefix, binaries.postgres, ...serverArguments(folder.cluster, address)]
  const log = await openLog(folder.log_file, user)
  try {
    const child = spawn(file as string, args, {
      ...user,
      cwd: folder.path,
      env: childEnvironment(binaries),
      stdio: ['ignore', log.fd, log.fd],
      detached: true,
      windowsHide: true,
    })
    // `unshare` becomes the server without a fork, so the pid is the server's own in every case.
    const started: StartedProcess = { pid: child.pid }
    child.once('error', (error) => {
      started.exited = error.message
    })
    child.once('exit', (code, signal) => {
      started.exited = signal ? `ended by ${signal}` : `exit code ${code}`
    })
    child.unref()
    return started
  } finally {
    await log.close()
  }
}

/** Shutdown requests, the politest first. After SIGQUIT or SIGKILL the next start replays the log: nothing is lost. */
const requests = [
  { signal: 'SIGINT', mode: 'fast', wait_ms: 20_000 },
  // More than the 5 s after which a postmaster kills its own processes that still wait for the disk.
  { signal: 'SIGQUIT', mode: 'immediate', wait_ms: 10_000 },
  { signal: 'SIGKILL', mode: 'immediate', wait_ms: 5_000 },
] as const

/** `fast`: open sessions are disconnected, and everything is written. `immediate`: nothing is waited for. */
type ShutdownMode = (typeof requests)[number]['mode']

/** Ends the server, in 35 s at most. Returns when its process is gone. */
export async function endPostmaster(pid: number, cluster: string, mode: ShutdownMode = 'fast'): Promise<void> {
  if (process.platform === 'win32') {
    // Windows has no signals: Node would terminate the process.
    const pg_ctl = programOf(findPackage(), 'pg_ctl')
    await run(pg_ctl, ['stop', '-D', cluster, '-m', mode, '-w', '-t', '20'], { timeout: command_timeout_ms })
    return
  }
  for (const { signal, wait_ms } of requests.slice(requests.findIndex((request) => request.mode === mode))) {
    if (!(await isPostmasterOf(pid, cluster))) return
    process.kill(pid, signal)
    if (await isTrueWithin(wait_ms, () => hasEnded(pid, cluster))) return
  }
}

/** Ends a server just started, by its process alone: its file may not be there yet. */
export async function endStarted(started: StartedProcess): Promise<void> {
  for (const { signal, wait_ms } of requests) {
    if (started.pid === undefined || started.exited !== undefined) return
    process.kill(started.pid, signal)
    if (await isTrueWithin(wait_ms, async () => started.exited !== undefined)) return
  }
}

async function isTrueWithin(wait_ms: number, look: () => Promise<boolean>): Promise<boolean> {
  for (let waited_ms = 0; waited_ms < wait_ms; waited_ms += poll_ms) {
    if (await look()) return true
    await pause(poll_ms)
  }
  return false
}

async function hasEnded(pid: number, cluster: string): Promise<boolean> {
  // Removing its file is the last thing a server does. An adopted one may stay a zombie for a second after that, until
  // the machine's first process collects it.
  const lines = await readLines(join(cluster, 'postmaster.pid'))
  return Number(lines?.[0]) !== pid || !isAlive(pid)
}

const log_bytes_max = 8 * 1024 * 1024
const tail_bytes_max = 8 * 1024
const tail_lines_max = 20

/** Opens the log (0600, belonging to `user`) for appending, so that it may be cut while the server holds it. */
export async function openLog(path: string, user?: User): Promise<FileHandle> {
  const handle = await open(path, 'a', 0o600)
  if (user) await handle.chown(user.uid, user.gid)
  return handle
}

/** The size in bytes, 0 when there is no log yet. */
export async function sizeOfLog(path: string): Promise<number> {
  return (await stat(path).catch(undefinedWhenMissing))?.size ?? 0
}

/**
 * Keeps the log bounded: beyond 8 MiB it moves to `<path>.1`, replacing the one before. The server writes straight to
 * the file, not through the service or a collector process, so that it can outlive the service.
 */
export async function boundLog(path: string): Promise<void> {
  if ((await sizeOfLog(path)) <= log_bytes_max) return
  await rm(`${path}.1`, { force: true })
  await copyFile(path, `${path}.1`)
  await truncate(path)
}

/** The last lines written after byte `since`. */
export async function tailOfLog(path: string, since = 0): Promise<string> {
  const handle = await open(path, 'r')
  try {
    const { size } = await handle.stat()
    const start = Math.max(since, size - tail_bytes_max)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(tail_bytes_max), 0, tail_bytes_max, start)
    return buffer.toString('utf8', 0, bytesRead).trimEnd().split('\n').slice(-tail_lines_max).join('\n')
  } finally {
    await handle.close()
  }
}
