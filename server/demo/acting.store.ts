import type { Transaction } from '#db/database.ts'
import { sql } from '#db/sql.ts'

/** From here on the transaction may do what an operation may. */
export async function actAsApp(tx: Transaction): Promise<void> {
  await tx.run(sql`set local role stint_app`)
}

/** Credentials are looked up by the login itself, as ahead of any operation. */
export async function lookUpAsLogin<Result>(tx: Transaction, look: () => Promise<Result>): Promise<Result> {
  await tx.run(sql`set local role none`)
  const found = await look()
  await actAsApp(tx)
  return found
}
