import { sql, type Transaction } from '#db/database.ts'
import { fillContracts } from './contracts.ts'
import { fillCycles } from './cycles.ts'
import type { Installation } from './installation.ts'
import { madeIdAt } from './made-id.ts'

const tables =
  'people, contracts, payment_cycles, invoices, payments, payment_invoices, timesheets, invoice_adjustments, ledger_accounts, ledger_transactions, ledger_entries, audit_entries, time_offs'

/** Makes by SQL, for each of so many contracts, a worker and one row of each noun whose list may be long. */
export async function fillHeavyLists({ database }: Pick<Installation, 'database'>, id: string, count: number) {
  await fillContracts({ database }, id, count, count)
  await fillCycles({ database }, id)
  for (const fill of [fillWork, fillInvoices, fillLedger, fillRest]) {
    await database.transaction({ role: 'app', organization_id: id, answer_ms_max: 0 }, async (tx) => {
      await tx.run(sql`set local statement_timeout = 0`)
      await fill(tx, id)
    })
  }
  const client = await database.connect()
  await client.query(`vacuum (analyze) ${tables}`)
  client.release()
}

const actor = JSON.stringify({ kind: 'token', id: null, name: 'bench' })

async function fillWork(tx: Transaction, id: string) {
  await tx.run(sql`
    insert into timesheets (organization_id, id, contract_id, worker_id, status, start_date, end_date, quantity, scale, rate,
      total_amount, currency, description, submitted_by, approved_at, created_at, updated_at)
    select organization_id, ${madeIdAt(sql`created_at`)}, id, worker_id, 'approved', created_at::date, created_at::date, 8, 'hourly',
      45, 360, currency, 'Work', ${actor}, created_at, created_at, created_at
    from contracts where organization_id = ${id}`)
  await tx.run(sql`
    insert into invoice_adjustments (organization_id, id, contract_id, worker_id, type, status, amount, currency, description,
      date, is_taxable, is_recurring, submitted_by, approved_at, created_at, updated_at)
    select organization_id, ${madeIdAt(sql`created_at`)}, id, worker_id, 'bonus', 'approved', 100, currency, 'Bonus',
      created_at::date, true, false, ${actor}, created_at, created_at, created_at
    from contracts where organization_id = ${id}`)
}

async function fillInvoices(tx: Transaction, id: string) {
  await tx.run(sql`
    insert into payments (organization_id, id, number, status, currency, total, fee, provider, created_by, maker_user_ids,
      initiated_at, completed_at, created_at, updated_at)
    select organization_id, ${madeIdAt(sql`created_at`)}, 'PAY-' || row_number() over (order by created_at), 'completed', currency, 4998, 0,
      'manual', ${actor}, '{}', created_at, created_at, created_at, created_at
    from contracts where organization_id = ${id}`)
  await tx.run(sql`
    with payable as (
      select c.*, p.id as payment_id, p.number from contracts c
      join payments p on p.organization_id = c.organization_id and p.created_at = c.created_at
      where c.organization_id = ${id}
    ), made as (
      insert into invoices (organization_id, id, number, contract_id, worker_id, legal_entity_id, status, is_off_cycle, is_overdue,
        currency, subtotal, taxable_base, vat_rate, reverse_charge, vat_total, total, issue_date, due_date, paid_at, payment_id,
        supplier, customer, created_at, updated_at)
      select organization_id, ${madeIdAt(sql`created_at`)}, 'INV' || number, id, worker_id, legal_entity_id, 'paid', true, false, currency,
        4200, 4200, 19, false, 798, 4998, created_at::date, created_at::date + 14, created_at, payment_id,
        '{"name": "Mira Sato", "country": "DE", "address": null, "vat_id": null}',
        '{"name": "Harbour", "country": "DE", "address": null, "vat_id": null, "registration_number": null}', created_at, created_at
      from payable returning organization_id, payment_id, id)
    insert into payment_invoices (organization_id, payment_id, invoice_id, is_standing)
    select organization_id, payment_id, id, true from made`)
}

async function fillLedger(tx: Transaction, id: string) {
  await tx.run(sql`
    insert into ledger_accounts (organization_id, id, code, currency, contract_id, balance, created_at, updated_at)
    select organization_id, ${madeIdAt(sql`created_at`)}, 'worker_payable', currency, id, 4200, created_at, created_at
    from contracts where organization_id = ${id}
    union all
    select ${id}::uuid, ${madeIdAt(sql`app_now()`)}, 'service_cost', 'EUR', null, 4200, app_now(), app_now()`)
  await tx.run(sql`
    insert into ledger_heads (organization_id, sequence) select ${id}::uuid, count(*) from invoices where organization_id = ${id}`)
  await tx.run(sql`
    with booked as (
      select organization_id, id as source_id, contract_id, created_at, issue_date, ${madeIdAt(sql`created_at`)} as id,
             row_number() over (order by created_at) as sequence
      from invoices where organization_id = ${id}
    ), made as (
      insert into ledger_transactions (organization_id, id, sequence, kind, source_kind, source_id, description, effective_date,
        posted_at, created_at, updated_at)
      select organization_id, id, sequence, 'invoice_issued', 'invoice', source_id, 'Invoice', issue_date, created_at, created_at,
        created_at
      from booked)
    insert into ledger_entries (organization_id, id, transaction_id, position, account_id, direction, amount, currency, balance_after)
    select b.organization_id, ${madeIdAt(sql`b.created_at`)}, b.id, side.position, side.account_id, side.direction, 4200, 'EUR', 4200
    from booked b
    join ledger_accounts owed on owed.organization_id = b.organization_id and owed.contract_id = b.contract_id
    join ledger_accounts cost on cost.organization_id = b.organization_id and cost.code = 'service_cost'
    cross join lateral (values (1, cost.id, 'debit'), (2, owed.id, 'credit')) as side (position, account_id, direction)`)
}

async function fillRest(tx: Transaction, id: string) {
  await tx.run(sql`
    insert into audit_entries (id, organization_id, occurred_at, actor, action, subject_kind, subject_id, changed_fields)
    select ${madeIdAt(sql`created_at`)}, organization_id, created_at, ${actor}::jsonb, 'contracts.update', 'contracts', id, '{title}'
    from contracts where organization_id = ${id}`)
  await tx.run(sql`
    with policy as (
      insert into time_off_policies (organization_id, id, name, leave_type, counting, is_paid, requires_approval, allow_negative,
        created_at, updated_at)
      values (${id}, ${madeIdAt(sql`app_now()`)}, 'Leave', 'vacation', 'working_days', true, true, true, app_now(), app_now()) returning id)
    insert into time_offs (organization_id, id, person_id, policy_id, leave_type, is_paid, status, start_date, end_date, start_half_day,
      end_half_day, days, days_next_year, requested_by, created_at, updated_at)
    select c.organization_id, ${madeIdAt(sql`c.created_at`)}, c.worker_id, policy.id, 'vacation', true, 'requested', c.created_at::date,
      c.created_at::date, false, false, 1, 0, ${actor}::jsonb, c.created_at, c.created_at
    from contracts c, policy where c.organization_id = ${id}`)
}

/** The heavy lists with their main filters; a `$name` stands for a value of one of the rows made. */
export const heavy_lists: Readonly<Record<string, readonly string[]>> = {
  '/contracts': ['', 'statuses=active', 'worker_id=$worker_id', 'updated_after=$late'],
  '/invoices': [
    ...['', 'statuses=paid', 'statuses=pending', 'contract_id=$contract_id', 'worker_id=$worker_id', 'is_overdue=true'],
    ...[
      'payment_id=$payment_id',
      'number=$number',
      'issue_date_from=$date',
      'due_date_to=$early',
      'currencies=USD',
      'updated_after=$late',
    ],
  ],
  '/payments': ['', 'statuses=completed', 'statuses=failed', 'updated_after=$late'],
  '/ledger/transactions': [
    ...['', 'contract_id=$contract_id', 'account_id=$account_id', 'source_id=$invoice_id', 'effective_date_from=$date'],
    ...['effective_date_to=$early', 'kinds=invoice_issued', 'kinds=reversal', 'updated_after=$late'],
  ],
  '/ledger/accounts': [
    '',
    'contract_id=$contract_id',
    'codes=service_cost',
    'codes=worker_payable',
    'updated_after=$late',
  ],
  '/timesheets': [
    ...['', 'statuses=approved', 'statuses=pending', 'contract_id=$contract_id', 'worker_id=$worker_id'],
    ...['date_from=$date', 'date_to=$early', 'updated_after=$late'],
  ],
  '/invoice-adjustments': [
    ...['', 'statuses=approved', 'statuses=pending', 'contract_id=$contract_id', 'worker_id=$worker_id'],
    ...['date_from=$date', 'date_to=$early', 'updated_after=$late'],
  ],
  '/audit-entries': [
    '',
    'subject_id=$contract_id',
    'from=$late',
    'to=$long_ago',
    'action=contracts.update',
    'action=payments.settle',
    'subject_kind=payments',
    'updated_after=$late',
  ],
  '/people': ['', 'statuses=active', 'statuses=inactive', 'countries=DE', 'updated_after=$late'],
  '/time-offs': [
    ...['', 'statuses=requested', 'statuses=rejected', 'person_id=$worker_id', 'date_from=$date', 'date_to=$early'],
    'updated_after=$late',
  ],
}

/** Values for the filters: of the row in the middle, and times near both ends. */
export async function valuesOfFilters({ database }: Pick<Installation, 'database'>, id: string) {
  const values = await database.transaction({ role: 'app', organization_id: id, read_only: true }, (tx) =>
    tx.row<Record<string, string>>(sql`
      with ends as (select min(created_at) as first, max(created_at) as last from contracts where organization_id = ${id})
      select i.contract_id, i.worker_id, i.payment_id, i.number, i.id as invoice_id, a.id as account_id,
             (ends.last - interval '1 hour')::timestamptz(3) as late, (ends.first + interval '1 hour')::timestamptz(3) as long_ago,
             ends.last::date::text as date, ends.first::date::text as early
      from invoices i cross join ends
      join ledger_accounts a on a.organization_id = i.organization_id and a.contract_id = i.contract_id
      where i.organization_id = ${id} order by i.created_at limit 1`),
  )
  if (!values) throw new Error('there are no rows to filter')
  return (query: string) => query.replaceAll(/\$(\w+)/g, (_, name) => values[name] ?? '')
}
