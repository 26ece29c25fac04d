import type { Database, Transaction } from '#db/database.ts'

/** Writes in a transaction of an organization that stays open; answers what commits it. */
export async function openWriter(
  database: Database,
  organization_id: string,
  write: (tx: Transaction) => Promise<unknown>,
): Promise<() => Promise<void>> {
  const [written, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const done = database.transaction({ role: 'app', organization_id }, async (tx) => {
    await write(tx)
    written.resolve()
    await gate.promise
  })
  await Promise.race([written.promise, done])
  return async () => {
    gate.resolve()
    await done
  }
}
