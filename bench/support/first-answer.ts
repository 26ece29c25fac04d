import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Agent, request } from 'undici'
import { freePort } from '#test/process.ts'

const repository = fileURLToPath(new URL('../..', import.meta.url))
const look_every_ms = 2
const start_max_ms = 60_000

/** Milliseconds from the start of a command to the first HTTPS answer of the service that it runs; then it is ended. */
export async function firstAnswer_ms([file, ...args]: [string, ...string[]], data_dir: string): Promise<number> {
  const port = await freePort()
  const began_ms = performance.now()
  // A group of its own, because npm and the service behind it are to get the signal.
  const child = spawn(file, args, {
    cwd: repository,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      STINT_DATA_DIR: data_dir,
      STINT_PORT: String(port),
      STINT_MANAGEMENT_PORT: '0',
    },
  })
  const exited = once(child, 'exit')
  const welcomed = untilWelcome(child)
  try {
    await untilListening(child, port)
    await answer(port)
    const taken_ms = performance.now() - began_ms
    // Earlier a signal would meet no handler yet, and leave the database running for the next start to adopt.
    await welcomed
    return taken_ms
  } finally {
    if (child.pid) process.kill(-child.pid, 'SIGTERM')
    await exited
    // npm is gone before the service behind it, whose last act is to end its database.
    while (existsSync(join(data_dir, 'postgres', 'postmaster.pid'))) await pause(look_every_ms)
  }
}

/** The last of what the service prints at its start. */
function untilWelcome({ stderr }: ChildProcess): Promise<void> {
  let printed = ''
  return new Promise((resolve) => {
    // Read to the end: to leave earlier would close the pipe under the service.
    stderr?.on('data', (chunk) => {
      printed += chunk
      if (/^ {2}curl .*$/m.test(printed)) resolve()
    })
    stderr?.once('end', resolve)
  })
}

async function untilListening(child: ChildProcess, port: number): Promise<void> {
  const until_ms = performance.now() + start_max_ms
  while (!(await isListening(port))) {
    if (child.exitCode !== null) throw new Error(`the service ended with status ${child.exitCode}`)
    if (performance.now() > until_ms) throw new Error(`the service did not answer within ${start_max_ms} ms`)
    await pause(look_every_ms)
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

/** Any answer of an operation: a start that could not reach its database would not listen. */
async function answer(port: number): Promise<void> {
  // The authority is made by the very start that is measured, so it cannot be known beforehand.
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } })
  const { statusCode, body } = await request(`https://localhost:${port}/rest/v2/organizations`, { dispatcher })
  await body.dump()
  await dispatcher.destroy()
  if (statusCode !== 401) throw new Error(`the service answered ${statusCode} to a call without credential`)
}
