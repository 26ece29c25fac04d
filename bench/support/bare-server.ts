import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BareStatements } from './bare-statements.ts'
import type { Installation } from './installation.ts'
import type { Statement } from './statements.ts'

/** The work of a yardstick at every request. */
export interface BareServerOrder extends BareStatements {
  framework: 'node:https' | 'fastify'
  cert: string
  key: string
}

export interface BareServer extends AsyncDisposable {
  pid: number
  origin: string
}

/** Starts a handler that has none of the service's work but the statements, in a process of its own. */
export function startBareServer(
  { folder, connection }: Installation,
  order: Pick<BareServerOrder, 'framework' | 'statements' | 'session'>,
): Promise<BareServer> {
  return startServerProcess(folder, new URL('bare-server-process.ts', import.meta.url), { ...order, connection })
}

/** The official SDK of the tool protocol with a handler that runs these statements, if any, and has this result. */
export function startBareToolServer(
  { folder, connection }: Installation,
  order: { result: object; statements: Statement[] },
): Promise<BareServer> {
  const program = new URL('bare-tool-server-process.ts', import.meta.url)
  return startServerProcess(folder, program, { ...order, connection, session: '' })
}

export async function startServerProcess(folder: string, program: URL, order: object): Promise<BareServer> {
  const [cert, key] = await Promise.all(
    ['cert.pem', 'key.pem'].map((name) => readFile(join(folder, 'tls', name), 'utf8')),
  )
  // Values of statements are buffers too, which JSON would not carry.
  const child = fork(fileURLToPath(program), { serialization: 'advanced' })
  child.send({ ...order, cert, key })
  const port = await portOf(child)
  return {
    pid: child.pid ?? 0,
    origin: `https://localhost:${port}`,
    async [Symbol.asyncDispose]() {
      child.disconnect()
      await once(child, 'exit')
    },
  }
}

async function portOf(child: ChildProcess): Promise<number> {
  const [port] = await Promise.race([once(child, 'message'), once(child, 'exit')])
  if (typeof port !== 'number' || child.exitCode !== null) throw new Error('the bare server did not start')
  return port
}
