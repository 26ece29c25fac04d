import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { on, once } from 'node:events'
import { existsSync, watch } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { connect, type TLSSocket } from 'node:tls'
import { endPostmaster, findPostmaster } from '@stint/embedded-postgres/postmaster.ts'
import { freePort, usedDataFolder } from '#test/process.ts'
import { dataFolder } from '#test/stint.ts'

const checkout = join(import.meta.dirname, '..')
const service: Command = [process.execPath, 'cli/stint.js', 'serve']

type Command = readonly [string, ...string[]]

interface Begun {
  child: ChildProcess
  data_dir: string
  port: number
  /** When no process of the service is left, also where npm ended before. */
  ended: Promise<unknown>
  /** The log of the service so far: the reason when a database is left. */
  told(): string
}

/** Starts a command as a group of its own, as a terminal would. */
async function begin(
  t: TestContext,
  [file, ...words]: Command,
  data_dir: string,
  settings: Record<string, string> = {},
): Promise<Begun> {
  const port = await freePort()
  const environment = { PATH: process.env.PATH, HOME: data_dir, STINT_DATA_DIR: data_dir, STINT_PORT: String(port) }
  const child = spawn(file, words, {
    cwd: checkout,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...environment, STINT_MANAGEMENT_PORT: '0', ...settings },
  })
  t.after(async () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0), 'SIGKILL')
    const left = await findPostmaster(join(data_dir, 'postgres'))
    if (left) await endPostmaster(left.pid, join(data_dir, 'postgres'), 'immediate')
  })
  const lines: string[] = []
  child.stdout?.on('data', (chunk) => lines.push(String(chunk)))
  // The database writes to a file of its own, so this pipe is the service's and that of whoever started it.
  return { child, data_dir, port, ended: once(child.stdout ?? child, 'close'), told: () => lines.join('') }
}

/** The same, and waits until it says that it answers. */
async function start(t: TestContext, command: Command, settings = {}): Promise<Begun> {
  const begun = await begin(t, command, await usedDataFolder(t), settings)
  let printed = ''
  await new Promise<void>((resolve, reject) => {
    begun.child.stderr?.on('data', (chunk) => {
      printed += chunk
      if (printed.includes('Ctrl-C stops it.')) resolve()
    })
    begun.child.once('exit', (status) => reject(new Error(`ended with ${status}: ${printed}`)))
  })
  return begun
}

function logOf(data_dir: string): Promise<string> {
  return readFile(join(data_dir, 'postgres.log'), 'utf8')
}

/** Neither the service nor its database is left, and the database was shut down, not cut. */
async function assertEndedInOrder({ data_dir, port, ended, told }: Begun): Promise<void> {
  await ended
  if (existsSync(join(data_dir, 'postgres', 'postmaster.pid')))
    assert.fail(`the database was left: ${told()}\n${await logOf(data_dir)}`)
  assert.match(await logOf(data_dir), /received fast shutdown request[\s\S]*database system is shut down\s*$/)
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  server.close()
}

describe('service and database end in order', { skip: process.platform === 'win32', timeout: 600_000 }, () => {
  const npm: Command = ['npm', 'start']
  const other_node = process.env.npm_node_execpath
  const cases: { name: string; command: Command; signal: NodeJS.Signals }[] = [
    { name: 'SIGTERM to npm', command: npm, signal: 'SIGTERM' },
    { name: 'SIGHUP to npm', command: npm, signal: 'SIGHUP' },
    { name: 'kill -9 of npm', command: npm, signal: 'SIGKILL' },
    { name: 'SIGTERM to the service', command: service, signal: 'SIGTERM' },
    { name: 'SIGHUP to the service', command: service, signal: 'SIGHUP' },
    // On a machine whose Node is older than the service's.
    ...(other_node && other_node !== process.execPath
      ? [
          {
            name: 'kill -9 of the launcher',
            command: [other_node, ...service.slice(1)] as const,
            signal: 'SIGKILL' as const,
          },
        ]
      : []),
  ]
  for (const { name, command, signal } of cases) {
    test(name, async (t) => {
      const begun = await start(t, command)
      begun.child.kill(signal)
      await assertEndedInOrder(begun)
    })
  }

  test('the terminal is closed: every process of it gets SIGHUP, and nothing more can be written', async (t) => {
    const begun = await start(t, npm)
    begun.child.stderr?.destroy()
    process.kill(-(begun.child.pid ?? 0), 'SIGHUP')
    await assertEndedInOrder(begun)
  })

  test('Ctrl-C in a terminal is one request, though npm hands its own on', async (t) => {
    const begun = await start(t, npm)
    const exit = once(begun.child, 'exit')
    process.kill(-(begun.child.pid ?? 0), 'SIGINT')
    await assertEndedInOrder(begun)
    assert.deepEqual(await exit, [0, null])
  })

  for (const stage of ['postgres.new-', 'postgres.log', 'secrets.json']) {
    test(`SIGTERM during the start, when ${stage} appears`, async (t) => {
      const { child, data_dir, ended } = await begin(t, service, await dataFolder(t))
      const exit = once(child, 'exit')
      const changes = watch(data_dir)
      t.after(() => changes.close())
      for await (const [, name] of on(changes, 'change')) if (String(name).startsWith(stage)) break
      child.kill('SIGTERM')
      assert.deepEqual(await exit, [0, null])
      await ended
      assert.equal(existsSync(join(data_dir, 'postgres', 'postmaster.pid')), false)
      assert.deepEqual(
        (await readdir(data_dir)).filter((name) => name.startsWith('postgres.new-')),
        [],
      )
    })
  }
})

test('a second Ctrl-C ends service and database at once, whatever runs', {
  skip: process.platform === 'win32',
  timeout: 600_000,
}, async (t) => {
  const { child, data_dir, port, ended } = await start(t, service, { STINT_SHUTDOWN_MS: '300000' })
  const exit = once(child, 'exit')
  const request = await halfRequest(port)
  t.after(() => request.destroy())
  child.kill('SIGINT')
  while (await isOpen(port)) await pause(20)
  assert.ok(existsSync(join(data_dir, 'postgres', 'postmaster.pid')))
  // The first moments belong to the first one.
  while (child.exitCode === null) {
    child.kill('SIGINT')
    await pause(100)
  }
  assert.deepEqual(await exit, [130, null])
  await ended
  assert.equal(existsSync(join(data_dir, 'postgres', 'postmaster.pid')), false)
  assert.match(await logOf(data_dir), /received immediate shutdown request/)
})

/** A request whose body does not come: a shutdown in order waits for it. */
async function halfRequest(port: number): Promise<TLSSocket> {
  const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  socket.on('error', () => undefined)
  const lines = ['POST /oauth/token HTTP/1.1', `Host: localhost:${port}`, 'Content-Length: 10', 'Expect: 100-continue']
  socket.write(`${[...lines, 'Content-Type: application/x-www-form-urlencoded'].join('\r\n')}\r\n\r\n`)
  const [answer] = await once(socket, 'data')
  assert.match(String(answer), /^HTTP\/1\.1 100 /)
  return socket
}

async function isOpen(port: number): Promise<boolean> {
  const server = createServer()
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return false
  } catch {
    return true
  } finally {
    server.close()
  }
}
