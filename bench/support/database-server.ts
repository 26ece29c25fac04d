import { readFileSync } from 'node:fs'
import { type Database, sql } from '#db/database.ts'
import { parentOf, processTree } from './process-usage.ts'

export interface DatabaseServer {
  /** Version and the settings that decide what a commit costs. */
  description: Record<string, string | number>
  /** Its processes; none where it runs on another machine. */
  pids(): number[]
}

export async function inspectServer(database: Database, kind: string): Promise<DatabaseServer> {
  const found = await database.row<{ pid: number; version: string; [setting: string]: string | number }>(sql`
    select pg_backend_pid() as pid, current_setting('server_version') as version, current_setting('fsync') as fsync,
           current_setting('synchronous_commit') as synchronous_commit,
           current_setting('shared_buffers') as shared_buffers`)
  const { pid = 0, version = '', ...settings } = found ?? {}
  // All processes of a server are children of its first one. A number from another machine is a stranger's here.
  const first = isPostgres(pid) ? parentOf(pid) : undefined
  return {
    description: { server: `${kind} ${version}`, ...settings },
    pids: () => (first === undefined ? [] : processTree(first)),
  }
}

function isPostgres(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('postgres')
  } catch {
    return false
  }
}
