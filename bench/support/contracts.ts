import { sql } from '#db/database.ts'
import type { Installation } from './installation.ts'
import { madeIdAt } from './made-id.ts'

/**
 * Makes active, signed contracts of one organization by SQL, one second apart up to the last midnight, so that the hour of a
 * run does not part them into days, with workers of their own and the words of their titles; `count` of them in one statement. Nothing of it passes through the service: no events, no audit lines.
 */
export async function fillContracts(
  { database }: Pick<Installation, 'database'>,
  organization_id: string,
  count: number,
  workers: number = Math.min(count, 1_000),
): Promise<void> {
  const actor = JSON.stringify({ kind: 'token', id: null, name: 'bench' })
  await database.transaction({ role: 'app', organization_id, answer_ms_max: 0 }, async (tx) => {
    // A million rows in one statement take longer than a request may.
    await tx.run(sql`set local statement_timeout = 0`)
    await tx.run(sql`
      insert into people (organization_id, id, first_name, last_name, email, locale, country, worker_type, status,
                          created_at, updated_at)
      select ${organization_id}, ${madeIdAt(sql`app_now()`)}, 'Mira', 'Sato ' || n, 'mira.sato.' || n || '@example.org', 'en',
             'DE', 'contractor', 'active', app_now(), app_now()
      from generate_series(1, ${workers}::int) n`)
    await tx.run(sql`
      with workers as (
        select id, row_number() over (order by id) - 1 as place
        from people where organization_id = ${organization_id}
      ), made as (
        select n, date_trunc('day', app_now(), 'UTC') - n * interval '1 second' as made_at from generate_series(1, ${count}::int) n
      )
      insert into contracts (
        organization_id, id, type, title, status, created_by, worker_id, legal_entity_id, country, timezone, start_date,
        job_title, seniority, scope_of_work, notice_period_days, amount, currency, scale, frequency, cycle_end_type,
        cycle_end, payment_due_days, pay_before_weekends, proration, vat_rate, reverse_charge, client_name,
        client_signed_at, client_signed_by, worker_sign_name, worker_signed_at, created_at, updated_at)
      select ${organization_id}, ${madeIdAt(sql`made_at`)}, 'fixed_rate', 'Backend development ' || n, 'active', ${actor},
             w.id, e.id, 'DE', 'Europe/Berlin', '2026-01-01', 'Engineer', 'Senior', 'Builds and runs the payment service.',
             30, 4200, 'EUR', 'monthly', 'monthly', 'day_of_month', 31, 14, true, 'calendar_days', 19, false,
             'Ada Client', made_at, ${actor}, 'Mira Sato', made_at, made_at, made_at
      from made
      join workers w on w.place = made.n % ${workers}::int
      join legal_entities e on e.organization_id = ${organization_id} and e.is_default
      order by n desc`)
    await tx.run(sql`
      insert into search_words (organization_id, kind, word, subject_id)
      select organization_id, 'contract', word, id
      from contracts cross join regexp_split_to_table(lower(title), ' ') word
      where organization_id = ${organization_id}`)
  })
  const client = await database.connect()
  await client.query('vacuum (analyze) contracts, people, search_words')
  client.release()
}
