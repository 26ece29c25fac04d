import { sql, type Transaction } from '#db/database.ts'
import type { Installation } from './installation.ts'
import { madeIdAt } from './made-id.ts'

/**
 * Gives the contracts of `fillContracts` their terms, this month as active cycle and the next one as upcoming, with the
 * timers of their closing.
 */
export async function fillCycles({ database }: Pick<Installation, 'database'>, organization_id: string): Promise<void> {
  await database.transaction({ role: 'app', organization_id, answer_ms_max: 0 }, async (tx) => {
    await tx.run(sql`set local statement_timeout = 0`)
    await tx.run(sql`
      insert into contract_terms (organization_id, contract_id, version, effective_from, terms, created_at)
      select organization_id, id, 1, start_date, jsonb_build_object(
        'amount', amount::text || '.00', 'scale', scale, 'frequency', frequency, 'cycle_end_type', cycle_end_type,
        'cycle_end', cycle_end, 'first_cycle_end', first_cycle_end, 'payment_due_days', payment_due_days,
        'pay_before_weekends', pay_before_weekends, 'proration', proration, 'start_date', start_date,
        'end_date', end_date, 'job_title', job_title, 'seniority', seniority, 'scope_of_work', scope_of_work,
        'special_clause', special_clause, 'notice_period_days', notice_period_days), created_at
      from contracts where organization_id = ${organization_id}`)
    await addCycles(tx, organization_id, 'active', 0)
    await addCycles(tx, organization_id, 'upcoming', 1)
    await tx.run(sql`
      insert into timers (id, organization_id, kind, priority, subject_id, sequence_id, due_at, created_at)
      select ${madeIdAt(sql`app_now()`)}, organization_id, 'cycle_close', 1, id, contract_id, closes_at, app_now()
      from payment_cycles where organization_id = ${organization_id} and status = 'active'`)
  })
  const client = await database.connect()
  await client.query('vacuum (analyze) contract_terms, payment_cycles, timers')
  client.release()
}

/** The cycles of one calendar month, so many months from now. */
async function addCycles(tx: Transaction, organization_id: string, status: 'active' | 'upcoming', months: number) {
  const first = sql`(date_trunc('month', app_now() at time zone 'Europe/Berlin') + ${months}::int * interval '1 month')`
  const next = sql`(${first} + interval '1 month')`
  await tx.run(sql`
    insert into payment_cycles (organization_id, id, contract_id, start_date, end_date, nominal_start_date,
      nominal_end_date, issue_date, due_date, closes_at, currency, status, created_at, updated_at)
    select organization_id, ${madeIdAt(sql`created_at`)}, id, ${first}, ${next} - interval '1 day', ${first},
      ${next} - interval '1 day', ${next}, ${next} + interval '14 days', ${next} at time zone timezone, currency,
      ${status}, created_at, created_at
    from contracts where organization_id = ${organization_id}`)
}

/** So many cycles more close now: before their month is over, so that their invoices are not overdue at once. */
export async function makeDue(
  { database }: Pick<Installation, 'database'>,
  organization_id: string,
  count: number,
): Promise<void> {
  const made = await database.transaction({ role: 'app', organization_id }, (tx) =>
    tx.run(sql`
      update timers set due_at = app_now() where organization_id = ${organization_id} and id in (
        select t.id from payment_cycles c
        join timers t on t.organization_id = c.organization_id and t.subject_id = c.id and t.kind = 'cycle_close'
        where c.organization_id = ${organization_id} and c.status = 'active' and c.start_date <= app_now() and t.fired_at is null
          and t.cancelled_at is null
        limit ${count})`),
  )
  if (made !== count) throw new Error(`only ${made} of ${count} cycles are left to close`)
}
