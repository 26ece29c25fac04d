import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import type { Installation } from './installation.ts'

export interface ClaimerSetup {
  connection: pg.PoolConfig
  folder: string
}

export type ClaimerOrder = 'start' | 'stop'

/** The engine in a process of its own, on the database of an installation, with nothing to send. */
export interface Claimer extends AsyncDisposable {
  pid: number
  tell(order: ClaimerOrder): Promise<void>
}

export async function openClaimer({ connection, folder }: Installation): Promise<Claimer> {
  const child = fork(fileURLToPath(new URL('claimer-process.ts', import.meta.url)))
  const tell = async (message: ClaimerSetup | ClaimerOrder) => {
    child.send(message)
    await once(child, 'message')
  }
  await tell({ connection, folder })
  if (child.pid === undefined) throw new Error('the claimer has no process')
  return {
    pid: child.pid,
    tell,
    async [Symbol.asyncDispose]() {
      child.disconnect()
      await once(child, 'exit')
    },
  }
}
