import { type Sql, sql } from '#db/database.ts'

/** A UUIDv7 of a moment, as the service makes them, in SQL. */
export function madeIdAt(moment: Sql): Sql {
  return sql`(left(first_id_at(${moment})::text, 14) || '7' || substr(gen_random_uuid()::text, 16))::uuid`
}
