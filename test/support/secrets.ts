import assert from 'node:assert/strict'
import { type Database, openDatabase, raw, sql } from '#db/database.ts'
import type { DatabaseServer } from './server-of-run.ts'

/** The pattern that SECURITY.md publishes for secret scanners, and the form of a webhook signing key. */
const forms = [
  /(?<![0-9A-Za-z_])stint_(?:test_)?(?:org|pat|wkr|oat|ort|oac|ocs)_[0-9A-Za-z]{49}(?![0-9A-Za-z_])/,
  /whsec_[A-Za-z0-9+/]{43}=/,
]
const noted = new Set<string>()

/** Secrets without a form of their own (passwords, code verifiers), to be searched for as well. */
export function noteSecret(secret: string): string {
  noted.add(secret)
  return secret
}

/** True of a text with a token, a client secret or a signing key in it. */
export function holdsCredential(text: string): boolean {
  return forms.some((form) => form.test(text))
}

function holdsSecret(text: string): boolean {
  return holdsCredential(text) || [...noted].some((secret) => text.includes(secret))
}

/** leak.logs: no line of a whole run holds a secret. */
export function assertNoSecretIn(lines: readonly string[]): void {
  assert.ok(lines.length > 0, 'nothing was logged')
  assert.deepEqual(lines.filter(holdsSecret), [])
}

/**
 * Finds secrets that a service of a test leaves when it closes: in its log, its refusals, and each row of its database as
 * text. So the whole run is searched, and a secret that any test lets rest anywhere in plain text fails its file.
 */
export async function secretsLeft(
  { logged, refusals }: { logged: readonly string[]; refusals: readonly string[] },
  connection: DatabaseServer['connection'],
): Promise<string[]> {
  const database = openDatabase(connection, { connections_max: 1 })
  try {
    const rows = (await rowTexts(database)).filter(holdsSecret)
    return [
      ...logged.filter(holdsSecret).map((line) => `log: ${line}`),
      ...refusals.filter(holdsSecret).map((body) => `refusal: ${body}`),
      ...rows,
    ]
  } finally {
    await database.close()
  }
}

/** Every row of every table as text, in one statement: a hundred small ones took twice the processor. */
export async function rowTexts(database: Database): Promise<string[]> {
  return database.transaction({ role: 'owner' }, async (tx) => {
    const tables = await tx.rows<{ place: string; columns: string; is_hidden: boolean }>(sql`
      select quote_ident(c.relname) as place, row_security_active(c.oid) as is_hidden, string_agg(
        case when a.atttypid = 'bytea'::regtype then format('encode(%I, ''escape'')', a.attname)
             else format('%I::text', a.attname) end, ', ') as columns
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'u') group by c.oid`)
    // An owner that is no superuser sees no row of a table whose policies are forced; this database is about to be dropped.
    for (const { place } of tables.filter(({ is_hidden }) => is_hidden))
      await tx.run(sql`alter table ${raw(place)} no force row level security`)
    const rows = tables.map(
      ({ place, columns }) => `select '${place}: ' || concat_ws(' ', ${columns}) as text from ${place}`,
    )
    const texts = await tx.rows<{ text: string }>(sql`${raw(rows.join(' union all '))}`)
    return texts.map(({ text }) => text)
  })
}
