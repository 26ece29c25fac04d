import { sql } from '#db/database.ts'
import type { Installation } from './installation.ts'
import { madeIdAt } from './made-id.ts'

/**
 * Makes users of one organization by SQL as a provider would have pushed them, one second apart, the last one now, with the
 * words of their names; nothing of it passes through the service: no events, no audit lines.
 */
export async function fillPeople(
  { database }: Pick<Installation, 'database'>,
  organization_id: string,
  count: number,
): Promise<void> {
  await database.transaction({ role: 'app', organization_id, answer_ms_max: 0 }, async (tx) => {
    // A million rows in one statement take longer than a request may.
    await tx.run(sql`set local statement_timeout = 0`)
    await tx.run(sql`
      with made as (select n, app_now() - (${count}::int - n) * interval '1 second' as made_at from generate_series(1, ${count}::int) n)
      insert into people (organization_id, id, first_name, last_name, email, locale, country, worker_type, status, access,
        scim_external_id, scim_created, scim_linked_at, scim_written, created_at, updated_at)
      select ${organization_id}, ${madeIdAt(sql`made_at`)}, 'Mira', 'Sato ' || n, 'mira.sato.' || n || '@example.org', 'en',
             'DE', 'contractor', 'inactive', 'enabled', 'ext-' || n, true, made_at,
             '{active,emails,externalId,name.familyName,name.givenName,userName}', made_at, made_at
      from made`)
    await tx.run(sql`
      insert into search_words (organization_id, kind, word, subject_id)
      select organization_id, 'person', word, id
      from people cross join regexp_split_to_table(lower(full_name || ' ' || email), ' ') word
      where organization_id = ${organization_id}`)
  })
  const client = await database.connect()
  await client.query('vacuum (analyze) people, search_words')
  client.release()
}
