import { newId, parseMoney } from '#core/values.ts'
import { sql } from '#db/database.ts'
import { book, entriesOfInvoice, reverse } from '#resources/ledger/index.ts'
import type { TestService } from './service.ts'

/** The parts of a service that booking needs. */
type Ledger = Pick<TestService, 'database' | 'clock' | 'organization'>
type Booking = Parameters<typeof book>[1]

/** Calls `book` or `reverse` in a transaction of its own. */
export function inLedger<Result>(
  { database, clock, organization: { id: organization_id } }: Ledger,
  work: (context: Parameters<typeof book>[0], organization_id: string) => Promise<Result>,
): Promise<Result> {
  return database.database.transaction({ role: 'app', organization_id }, (tx) =>
    work({ tx, now: tx.now, newId: () => newId(clock.now()), posted: () => undefined }, organization_id),
  )
}

export function money(text: string, currency: Parameters<typeof parseMoney>[1] = 'EUR') {
  const read = parseMoney(text, currency)
  if ('code' in read) throw new Error(`${text} ${currency} ${read.message}`)
  return read
}

/** Books an invoice of these amounts, as if it had been issued. */
export async function bookInvoice(
  ledger: Ledger,
  contract_id: string,
  {
    currency = 'EUR',
    subtotal = '100.00',
    vat_total = '19.00',
    expenses = '10.00',
    effective_date = '2026-06-15',
  } = {} as Record<string, string>,
): Promise<Pick<Booking, 'source'>> {
  const of = currency as 'EUR'
  const source = { kind: 'invoice', id: newId(ledger.clock.now()) } as const
  const amounts = { subtotal: money(subtotal, of), vat_total: money(vat_total, of), expenses: money(expenses, of) }
  const entries = entriesOfInvoice({ contract_id, ...amounts })
  const booking = { kind: 'invoice_issued', source, effective_date, description: 'Invoice', entries } as const
  await inLedger(ledger, (context, organization_id) => book(context, { organization_id, ...booking }))
  return { source }
}

export function reverseInvoice(ledger: Ledger, { source }: Pick<Booking, 'source'>): Promise<void> {
  const booking = { kind: 'invoice_issued', source, effective_date: '2026-06-16', description: 'Cancelled' } as const
  return inLedger(ledger, (context, organization_id) => reverse(context, { organization_id, ...booking }))
}

/** Rows that break a rule of the ledger (domain rules 8, invariants 1 to 4). */
export function faultsOfLedger({ database, organization: { id } }: Ledger): Promise<object[]> {
  return database.database.transaction({ role: 'app', organization_id: id }, (tx) =>
    tx.rows(sql`
      with entries as (
        select e.*, case e.direction when 'debit' then e.amount else -e.amount end as signed,
               case when (a.code in ('worker_payable', 'payments_in_transit')) = (e.direction = 'credit')
                    then e.amount else -e.amount end as change,
               t.sequence, a.balance
        from ledger_entries e
        join ledger_transactions t on t.organization_id = e.organization_id and t.id = e.transaction_id
        join ledger_accounts a on a.organization_id = e.organization_id and a.id = e.account_id
        where e.organization_id = ${id})
      select 'unbalanced' as fault, transaction_id::text as about from entries group by transaction_id, currency having sum(signed) <> 0
      union all
      select 'balance differs', account_id::text from (
        select account_id, balance, sum(change) over (partition by account_id) as sum,
               sum(change) over (partition by account_id order by sequence) as running, balance_after,
               row_number() over (partition by account_id order by sequence desc) as newest
        from entries) e
      where balance <> sum or balance_after <> running or (newest = 1 and balance_after <> balance)
      union all
      select 'gap', max(sequence)::text from ledger_transactions where organization_id = ${id} having max(sequence) <> count(*)
      union all
      select 'reversed twice', reverses_transaction_id::text from ledger_transactions
      where organization_id = ${id} and reverses_transaction_id is not null group by reverses_transaction_id having count(*) > 1
      union all
      select 'link is missing', r.id::text from ledger_transactions r
      join ledger_transactions t on t.organization_id = r.organization_id and t.id = r.reverses_transaction_id
      where r.organization_id = ${id} and t.reversed_by_transaction_id is distinct from r.id`),
  )
}
