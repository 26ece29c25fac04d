import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type Database, sql, type Transaction } from './database.ts'

/**
 * A change of tables takes locks that shut everybody out, several one after the other, and traffic takes the same tables
 * in other orders: they can wait for each other. PostgreSQL looks for such a circle after 1 s and breaks the one who
 * looks first, mostly the traffic. So the change gives up long before, lets the traffic pass, and comes again.
 */
const lock_wait = '250ms'
const tries_max = 20
const pause_ms = 100

const lock_not_available = '55P03'

/** Runs `work` as the engine, in one transaction, beside running traffic; whatever `work` asks may be asked again. */
export async function changeTables<Result>(
  database: Database,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await database.transaction({ role: 'engine' }, async (tx) => {
        await tx.run(sql`select set_config('lock_timeout', ${lock_wait}, true)`)
        return work(tx)
      })
    } catch (error) {
      const is_busy = error instanceof pg.DatabaseError && error.code === lock_not_available
      if (!is_busy || tries >= tries_max) throw error
    }
    await sleep(pause_ms)
  }
}
