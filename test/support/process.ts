import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { cp, readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { Agent, request } from 'undici'
import { readDemo } from '#boot/demo/seed.ts'
import { oncePerRun } from './once-per-run.ts'
import { dataFolder } from './stint.ts'

export interface ServiceProcess {
  readonly pid: number
  readonly origin: string
  /** Its output for its operator, on standard error, up to the point where it answered. */
  readonly printed: string
  /** Token of the demo organization, from the file that names it where nobody sits at a terminal. */
  readonly token: string | null
  kill(signal: NodeJS.Signals): Promise<void>
}

export interface ServiceProcessOptions {
  data_dir: string
  port: number
  demo?: boolean
  environment?: Record<string, string>
  /** Of another release. */
  program?: string
  /** The process whose view of the disks it has, and the data folder as it is seen from here. */
  namespace?: { pid: number; data_dir: string }
}

/** Far more than it takes: several test runs may share the machine. */
const start_limit_ms = 90_000
const this_program = new URL('../../cli/stint.js', import.meta.url).pathname

/** Runs the service as a process of its own, as an operator does, and waits until it says that it answers. */
export async function startServiceProcess(options: ServiceProcessOptions): Promise<ServiceProcess> {
  const { data_dir, port, demo = false, environment = {}, program = this_program } = options
  const { namespace } = options
  const entered = namespace ? ['nsenter', `--mount=/proc/${namespace.pid}/ns/mnt`] : []
  const [file = '', ...words] = [...entered, process.execPath, program, 'serve', ...(demo ? ['--demo'] : [])]
  const child = spawn(file, words, {
    env: {
      PATH: process.env.PATH ?? '',
      STINT_DATA_DIR: data_dir,
      STINT_PORT: String(port),
      STINT_MANAGEMENT_PORT: '0',
      STINT_LOG_LEVEL: 'warn',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const printed = await untilPrinted(child, /^Ctrl-C stops it\.$/m)
  return {
    pid: child.pid ?? 0,
    origin: `https://localhost:${port}`,
    printed,
    token: demo ? ((await readDemo(join(namespace?.data_dir ?? data_dir, 'demo-credentials')))?.token ?? null) : null,
    async kill(signal) {
      child.kill(signal)
      await exited
    },
  }
}

/** A data folder in which a service ran and ended, a copy for each test: a first start takes 1.1 s of the processor more. */
export async function usedDataFolder(t: TestContext): Promise<string> {
  const used = await oncePerRun('used-data-folder', async (data_dir) => {
    const service = await startServiceProcess({ data_dir, port: await freePort() })
    await service.kill('SIGTERM')
  })
  const data_dir = await dataFolder(t)
  await cp(used, data_dir, { recursive: true })
  return data_dir
}

/** An HTTPS client that trusts the service's own authority. */
export async function clientFor(data_dir: string, token: string) {
  const agent = new Agent({ connect: { ca: await readFile(join(data_dir, 'tls', 'ca.pem'), 'utf8') }, connections: 16 })
  return {
    async call(
      method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
      url: string,
      body?: object,
      headers: Record<string, string> = {},
    ) {
      const answer = await request(url, {
        method,
        dispatcher: agent,
        headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }), ...headers },
        ...(body && { body: JSON.stringify(body) }),
      })
      const text = await answer.body.text()
      // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
      const parsed = (text === '' ? null : JSON.parse(text)) as any
      return { status: answer.statusCode, headers: answer.headers, body: parsed }
    },
    close: () => agent.destroy(),
  }
}

/**
 * A free port, below those that a system gives to outgoing connections (32,768 on Linux): one of these could take it
 * before the service does.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries += 1) {
    const port = randomInt(20_000, 27_000)
    if (await isFree(port)) return port
  }
  throw new Error('no free port in 100 tries')
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}

function untilPrinted(child: ChildProcess, pattern: RegExp): Promise<string> {
  let output = ''
  let log = ''
  return new Promise((resolve, reject) => {
    const fail = (why: string) => {
      clearTimeout(limit)
      // Left running it would keep the test process waiting for ever.
      child.kill('SIGKILL')
      reject(new Error(`the service did not start: ${why}\n${output}\n${log}`))
    }
    const limit = setTimeout(() => fail(`nothing said within ${start_limit_ms} ms`), start_limit_ms)
    child.once('exit', (code) => fail(`exit status ${code}`))
    const keep = (chunk: unknown) => {
      log = `${log}${chunk}`.slice(-10_000)
    }
    child.stdout?.on('data', keep)
    child.stderr?.on('data', (chunk) => {
      output += chunk
      if (!pattern.test(output)) return
      clearTimeout(limit)
      // The log that follows is only taken off the pipe.
      child.stdout?.off('data', keep).resume()
      child.stderr?.removeAllListeners('data').resume()
      resolve(output)
    })
  })
}
