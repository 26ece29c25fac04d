import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFile,
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  watch,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import pg from 'pg'
import { findPackage } from './binaries.ts'
import type { EmbeddedPostgresError } from './data-folder.ts'
import { type EmbeddedConnection, findEmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts'
import { endPostmaster, findPostmaster } from './postmaster.ts'

const asRoot = process.geteuid?.() === 0
const noSignals = process.platform === 'win32'

/** A service in a process of its own, as `npm start` would be: starts the server and stays until it is killed. */
const service = `
  import { startEmbeddedPostgres } from ${JSON.stringify(import.meta.resolve('./embedded-postgres.ts'))}
  process.on('SIGINT', () => process.send({ interrupted: true }))
  try {
    const { connection, pid, adopted } = await startEmbeddedPostgres({ data_dir: process.argv[1] })
    process.send({ connection, pid, adopted })
  } catch ({ code, message }) {
    process.send({ code, message })
    process.disconnect()
  }`

interface Report {
  connection?: EmbeddedConnection
  pid?: number
  code?: string
  message?: string
}

const services = new Set<ChildProcess>()

function spawnService(data_dir: string, options: { env?: NodeJS.ProcessEnv; detached?: boolean } = {}): ChildProcess {
  const args = ['--input-type=module', '-e', service, data_dir]
  const child = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  services.add(child)
  return child
}

async function reportOf(child: ChildProcess): Promise<Report> {
  return (await once(child, 'message'))[0]
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}

/** An empty data folder below a 0700 folder; afterwards its server is ended, whoever started it, and it goes away. */
async function emptyFolder(t: TestContext, ...names: string[]): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'stint-embedded-'))
  const data_dir = join(parent, ...(names.length ? names : ['data']))
  t.after(async () => {
    // The services first: they would start the server again.
    for (const child of services) await kill(child)
    const left = await findPostmaster(join(data_dir, 'postgres'))
    if (left) await endPostmaster(left.pid, join(data_dir, 'postgres'))
    await rm(parent, { recursive: true, force: true })
  })
  return data_dir
}

async function query<Row extends pg.QueryResultRow>(connection: EmbeddedConnection, text: string): Promise<Row[]> {
  const client = new pg.Client({ ...connection, ssl: false })
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

/** Tells if every user may enter: then root's stand-in reaches the programs there. */
async function isOpenToAll(path: string): Promise<boolean> {
  for (let folder = path; folder !== dirname(folder); folder = dirname(folder)) {
    if (((await stat(folder)).mode & 0o001) === 0) return false
  }
  return true
}

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8)
}

describe('the embedded PostgreSQL', { timeout: 600_000 }, () => {
  let template = ''

  before(async () => {
    template = await mkdtemp(join(tmpdir(), 'stint-embedded-template-'))
    const server = await startEmbeddedPostgres({ data_dir: template })
    await query(server.owner, `create table kept as select 'acknowledged' as word; grant all on kept to stint_service`)
    await server.stop()
  })

  after(() => rm(template, { recursive: true, force: true }))

  async function usedFolder(t: TestContext, ...names: string[]): Promise<string> {
    const data_dir = await emptyFolder(t, ...names)
    await mkdir(dirname(data_dir), { recursive: true })
    await cp(template, data_dir, { recursive: true })
    return data_dir
  }

  test('a first start gives a durable UTF-8 database in UTC that only the owner can reach', async (t) => {
    const data_dir = await emptyFolder(t)
    const { connection, adopted, stop } = await startEmbeddedPostgres({ data_dir })
    const settings = [
      'fsync',
      'synchronous_commit',
      'listen_addresses',
      'server_encoding',
      'timezone',
      'data_checksums',
    ]
    const [row] = await query(
      connection,
      `select ${settings.map((name) => `current_setting('${name}') as ${name}`)}, upper('é') as upper,
              (select datlocale from pg_database where datname = current_database()) as locale`,
    )
    assert.deepEqual(row, {
      fsync: 'on',
      synchronous_commit: 'on',
      listen_addresses: '',
      server_encoding: 'UTF8',
      timezone: 'UTC',
      data_checksums: 'on',
      upper: 'É',
      locale: 'C.UTF-8',
    })
    assert.equal(adopted, false)
    for (const path of [data_dir, join(data_dir, 'postgres'), connection.host]) assert.equal(await modeOf(path), '700')
    assert.equal(await modeOf(join(data_dir, 'postgres.log')), '600')
    await stop()
  })

  test('stop ends the server, leaves no lock behind and may be called twice', async (t) => {
    const data_dir = await usedFolder(t)
    const server = await startEmbeddedPostgres({ data_dir })
    await Promise.all([server.stop(), server.stop()])
    assert.equal(await findPostmaster(join(data_dir, 'postgres')), undefined)
    assert.deepEqual(await readdir(join(data_dir, 'postgres-socket')), [])
    assert.match(await readFile(join(data_dir, 'postgres.log'), 'utf8'), /database system is shut down/)
  })

  test('a second start uses the cluster that is there', async (t) => {
    const data_dir = await usedFolder(t)
    const { ino } = await stat(join(data_dir, 'postgres'))
    const server = await startEmbeddedPostgres({ data_dir })
    assert.deepEqual(await query(server.connection, 'select word from kept'), [{ word: 'acknowledged' }])
    assert.equal((await stat(join(data_dir, 'postgres'))).ino, ino)
    await server.stop()
  })

  test('a service that is killed leaves its server to the next one, which can end it', async (t) => {
    const data_dir = await usedFolder(t)
    const child = spawnService(data_dir)
    const killed = await reportOf(child)
    await kill(child)
    const server = await startEmbeddedPostgres({ data_dir })
    assert.equal(server.adopted, true)
    assert.equal(server.pid, killed.pid)
    assert.deepEqual(server.connection, killed.connection)
    assert.deepEqual(await query(server.connection, 'select word from kept'), [{ word: 'acknowledged' }])
    await server.stop()
    assert.equal(await findPostmaster(join(data_dir, 'postgres')), undefined)
  })

  test('a second service on the same folder is refused by name and pid, and the first one keeps working', async (t) => {
    const data_dir = await usedFolder(t)
    const child = spawnService(data_dir)
    const { connection } = await reportOf(child)
    await assert.rejects(startEmbeddedPostgres({ data_dir }), (error: EmbeddedPostgresError) => {
      assert.equal(error.code, 'data_folder_in_use')
      assert.ok(error.message.includes(`pid ${child.pid}`), error.message)
      assert.ok(error.message.includes(data_dir), error.message)
      return true
    })
    assert.ok(connection)
    assert.equal((await query(connection, 'select 1')).length, 1)
  })

  test('a service started while the one before ends takes over the folder', async (t) => {
    const data_dir = await usedFolder(t)
    const first = await startEmbeddedPostgres({ data_dir })
    const next = startEmbeddedPostgres({ data_dir })
    const observer = new pg.Client({ ...first.connection, ssl: false })
    observer.on('error', () => undefined)
    await observer.connect()
    for (let looks = 0; looks < 1_000; looks += 1) {
      const waiting = await observer.query(`select from pg_locks where locktype = 'advisory' and not granted`)
      if (waiting.rowCount) break
    }
    await first.stop()
    const second = await next
    assert.notEqual(second.pid, first.pid)
    assert.equal((await query(second.connection, 'select 1')).length, 1)
    await second.stop()
  })

  test('a cluster made before the service had a login of its own gets one, and keeps its rows', async (t) => {
    const data_dir = await usedFolder(t)
    const former = await startEmbeddedPostgres({ data_dir })
    await query(former.owner, 'drop owned by stint_service')
    await query(former.owner, 'drop role stint_service')
    await former.stop()
    const { connection, owner, stop } = await startEmbeddedPostgres({ data_dir })
    assert.deepEqual(await query(connection, 'select session_user'), [{ session_user: 'stint_service' }])
    assert.deepEqual(await query(owner, 'select word from kept'), [{ word: 'acknowledged' }])
    await stop()
  })

  test('a command finds the server of a running service, and none where none runs', async (t) => {
    const data_dir = await usedFolder(t)
    assert.equal(await findEmbeddedPostgres(data_dir), undefined)
    const server = await startEmbeddedPostgres({ data_dir })
    assert.deepEqual(await findEmbeddedPostgres(data_dir), server.connection)
    await server.stop()
  })

  test('of two services that start at once on a new folder exactly one gets it', async (t) => {
    const data_dir = await emptyFolder(t)
    const children = [spawnService(data_dir), spawnService(data_dir)]
    const reports = await Promise.all(children.map(reportOf))
    assert.deepEqual(reports.map(({ code }) => code ?? 'started').sort(), ['data_folder_in_use', 'started'])
  })

  test('a service killed in the middle of initdb does not stop the next one', async (t) => {
    const data_dir = await emptyFolder(t)
    await mkdir(data_dir, { mode: 0o700 })
    const changes = watch(data_dir)
    const child = spawnService(data_dir)
    for await (const { filename } of changes) if (filename?.startsWith('postgres.new-')) break
    await kill(child)
    const server = await startEmbeddedPostgres({ data_dir })
    assert.equal((await query(server.connection, 'select 1')).length, 1)
    await server.stop()
  })

  test('a torn cluster of an earlier initdb is removed, a whole one is made', async (t) => {
    const data_dir = await emptyFolder(t)
    await mkdir(join(data_dir, 'postgres.new-torn', 'base'), { recursive: true })
    await writeFile(join(data_dir, 'postgres.new-torn', 'PG_VERSION'), '18\n')
    const server = await startEmbeddedPostgres({ data_dir })
    assert.equal((await query(server.connection, 'select 1')).length, 1)
    assert.deepEqual((await readdir(data_dir)).sort(), ['postgres', 'postgres-socket', 'postgres.log'])
    await server.stop()
  })

  test('lock files whose pid now belongs to a stranger do not block the start', async (t) => {
    const data_dir = await usedFolder(t)
    const stranger = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' })
    t.after(() => kill(stranger))
    const socket_folder = join(data_dir, 'postgres-socket')
    const lines = [stranger.pid, join(data_dir, 'postgres'), 1, 5432, socket_folder, '', '  1 1', 'ready   ', '']
    await writeFile(join(data_dir, 'postgres', 'postmaster.pid'), lines.join('\n'), { mode: 0o600 })
    await writeFile(join(socket_folder, '.s.PGSQL.5432.lock'), lines.slice(0, 5).join('\n'), { mode: 0o600 })
    const server = await startEmbeddedPostgres({ data_dir })
    assert.equal(server.adopted, false)
    assert.notEqual(server.pid, stranger.pid)
    await server.stop()
    assert.equal(stranger.exitCode ?? stranger.signalCode, null)
  })

  test('a server that dies is started again at the same address, with everything acknowledged', async (t) => {
    const data_dir = await usedFolder(t)
    const back = Promise.withResolvers<void>()
    const log = (line: string) => line.includes('answers again') && back.resolve()
    const server = await startEmbeddedPostgres({ data_dir, log })
    await query(server.connection, `insert into kept values ('committed')`)
    const killed = server.pid
    process.kill(killed, 'SIGKILL')
    await back.promise
    assert.notEqual(server.pid, killed)
    assert.equal((await query(server.connection, 'select word from kept')).length, 2)
    await server.stop()
  })

  test('a cluster that vanishes under a running service is not replaced by an empty one', async (t) => {
    const data_dir = await usedFolder(t)
    const failed = Promise.withResolvers<void>()
    const log = (line: string) => line.includes('did not come back') && failed.resolve()
    const server = await startEmbeddedPostgres({ data_dir, log })
    await rename(join(data_dir, 'postgres'), join(data_dir, 'elsewhere'))
    process.kill(server.pid, 'SIGKILL')
    await failed.promise
    await server.stop()
    await assert.rejects(stat(join(data_dir, 'postgres')), { code: 'ENOENT' })
  })

  test('Ctrl-C in the terminal of the service does not reach the server', { skip: noSignals }, async (t) => {
    const data_dir = await usedFolder(t)
    const child = spawnService(data_dir, { detached: true })
    const { connection } = await reportOf(child)
    assert.ok(connection && child.pid)
    const interrupted = once(child, 'message')
    process.kill(-child.pid, 'SIGINT')
    assert.deepEqual((await interrupted)[0], { interrupted: true })
    assert.equal((await query(connection, 'select 1')).length, 1)
  })

  test('a data folder too deep for a unix socket works, and leaves no socket folder behind', async (t) => {
    const data_dir = await usedFolder(t, 'deep'.repeat(20), 'deeper'.repeat(20))
    for (const round of ['first', 'again']) {
      const { connection, stop } = await startEmbeddedPostgres({ data_dir })
      assert.deepEqual(await query(connection, 'select word from kept'), [{ word: 'acknowledged' }], round)
      assert.equal(await modeOf(connection.host), '700')
      await stop()
      await assert.rejects(stat(connection.host), { code: 'ENOENT' })
    }
  })

  test('a data folder may bear blanks, commas, quotes and umlauts', async (t) => {
    const data_dir = await usedFolder(t, `Zoë's "data", new`)
    const { connection, stop } = await startEmbeddedPostgres({ data_dir })
    assert.deepEqual(await query(connection, 'select word from kept'), [{ word: 'acknowledged' }])
    await stop()
  })

  test('over TCP, as on Windows, only the password opens the server', async (t) => {
    const data_dir = await emptyFolder(t)
    const first = await startEmbeddedPostgres({ data_dir, transport: 'tcp' })
    assert.equal(first.connection.host, '127.0.0.1')
    assert.equal((await query(first.connection, 'select 1')).length, 1)
    await assert.rejects(query({ ...first.connection, password: 'guessed' }, 'select 1'), { code: '28P01' })
    assert.equal(await modeOf(join(data_dir, 'postgres.password')), '600')
    await first.stop()
    const second = await startEmbeddedPostgres({ data_dir, transport: 'tcp' })
    assert.deepEqual(await findEmbeddedPostgres(data_dir), second.connection)
    assert.equal((await query(second.connection, 'select 1')).length, 1)
    await second.stop()
  })

  test('a server that cannot start says why, in its own last words', async (t) => {
    const data_dir = await usedFolder(t)
    await appendFile(join(data_dir, 'postgres', 'postgresql.conf'), 'no_such_setting = 1\n')
    await assert.rejects(startEmbeddedPostgres({ data_dir }), (error: EmbeddedPostgresError) => {
      assert.equal(error.code, 'start_failed')
      assert.match(error.message, /unrecognized configuration parameter "no_such_setting"/)
      assert.ok(error.message.includes(join(data_dir, 'postgres.log')))
      return true
    })
  })

  test('root without user namespaces runs the server as nobody', { skip: !asRoot }, async (t) => {
    const data_dir = await emptyFolder(t)
    if (!(await isOpenToAll(findPackage()))) return t.skip('this checkout is closed to other users')
    await chmod(dirname(data_dir), 0o755)
    const child = spawnService(data_dir, { env: { PATH: '/nonexistent' } })
    const { connection, message } = await reportOf(child)
    assert.ok(connection, message ?? '')
    assert.equal((await query(connection, 'select 1')).length, 1)
    assert.notEqual((await stat(join(data_dir, 'postgres'))).uid, 0)
  })

  test('root without user namespaces is refused in words where nobody may enter', { skip: !asRoot }, async (t) => {
    const data_dir = await emptyFolder(t)
    const report = await reportOf(spawnService(data_dir, { env: { PATH: '/nonexistent' } }))
    assert.equal(report.code, 'identity_refused')
    assert.ok(report.message?.includes(data_dir), report.message ?? '')
    assert.equal((await stat(data_dir)).uid, 0)
  })
})
