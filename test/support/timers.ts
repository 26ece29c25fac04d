import assert from 'node:assert/strict'
import { newId } from '#core/values.ts'
import { sql } from '#db/database.ts'
import type { TestService } from './service.ts'

/** Fires what is due, in so many runs at once, and answers how many timers of a kind fired. */
export async function firedNow({ database, timers }: TestService, kind: string, runs = 1): Promise<number> {
  const fired = async () => {
    const row = await database.database.transaction({ role: 'engine' }, (tx) =>
      tx.row<{ fired: number }>(
        sql`select count(*)::int as fired from timers where kind = ${kind} and fired_at is not null`,
      ),
    )
    return row?.fired ?? 0
  }
  const before = await fired()
  await Promise.all(Array.from({ length: runs }, () => timers.runDue()))
  return (await fired()) - before
}

/** Fires one timer on a row and no other of the organization, whatever has become of the row. */
export async function fireAlone(
  { database, organization: { id: organization_id }, timers }: TestService,
  { kind, subject_id, sequence_id }: { kind: string; subject_id: string; sequence_id: string },
): Promise<void> {
  const id = newId(0)
  await database.database.transaction({ role: 'app', organization_id }, async (tx) => {
    await tx.run(sql`update timers set cancelled_at = app_now() where fired_at is null and cancelled_at is null`)
    await tx.run(sql`
      insert into timers (id, organization_id, kind, priority, subject_id, sequence_id, due_at, created_at)
      values (${id}, ${organization_id}, ${kind}, 1, ${subject_id}, ${sequence_id}, app_now(), app_now())`)
  })
  await timers.runDue()
  const fired = await database.database.transaction({ role: 'engine' }, (tx) =>
    tx.row(sql`select from timers where id = ${id} and fired_at is not null`),
  )
  assert.ok(fired, `the timer ${kind} did not fire`)
}
