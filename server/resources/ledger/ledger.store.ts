import { moved } from '#core/table.ts'
import type { Currency } from '#core/values.ts'
import { raw, type Sql, sql, type Transaction } from '#db/database.ts'
import type { AccountCode, TransactionKind } from './accounts.ts'

/** Amounts are read as texts: as numbers of JSON they would pass through binary floating point. */
export const entriesOfTransaction: Sql = sql`(
  select json_agg(json_build_object(
    'id', e.id, 'account_id', e.account_id, 'account_code', a.code, 'contract_id', a.contract_id,
    'direction', e.direction, 'amount', e.amount::text, 'currency', e.currency,
    'balance_after', e.balance_after::text) order by e.position)
  from ledger_entries e
  join ledger_accounts a on a.organization_id = e.organization_id and a.id = e.account_id
  where e.organization_id = ledger_transactions.organization_id and e.transaction_id = ledger_transactions.id)`

export const touchesAccount = (account_id: string, organization_id: string): Sql => sql`ledger_transactions.id in (
  select e.transaction_id from ledger_entries e
  where e.organization_id = ${organization_id} and e.account_id = ${account_id})`

export const touchesContract = (contract_id: string, organization_id: string): Sql => sql`ledger_transactions.id in (
  select e.transaction_id from ledger_accounts a
  join ledger_entries e on e.organization_id = a.organization_id and e.account_id = a.id
  where a.organization_id = ${organization_id} and a.contract_id = ${contract_id})`

/** A change of the balance of one account, and the id for that account if there is none yet. */
export interface BalanceChange {
  account_id: string
  code: AccountCode
  contract_id: string | null
  currency: Currency
  change: string
}

export interface MovedAccount extends Pick<BalanceChange, 'code' | 'contract_id' | 'currency'> {
  id: string
  balance: string
}

/**
 * Takes the next numbers of the organization's ledger, and with them the lock that orders all who book, then moves the
 * balances, each account once. An account that does not exist is made. Answers the last of the numbers.
 */
export async function moveBalances(
  tx: Transaction,
  organization_id: string,
  count: number,
  changes: readonly BalanceChange[],
): Promise<{ last_sequence: number; accounts: MovedAccount[] }> {
  const accounts = await tx.rows<MovedAccount & { sequence: number }>(sql`
    with head as (
      insert into ledger_heads as h (organization_id, sequence) values (${organization_id}, ${count})
      on conflict (organization_id) do update set sequence = h.sequence + excluded.sequence returning h.sequence),
    moved as (
      insert into ledger_accounts as a (organization_id, id, code, currency, contract_id, balance, created_at, updated_at)
      select ${organization_id}::uuid, c.account_id, c.code, c.currency, c.contract_id, c.change, ${tx.now}, ${tx.now}
      from head, jsonb_to_recordset(${JSON.stringify(changes)}::jsonb)
        as c (account_id uuid, code text, currency text, contract_id uuid, change numeric)
      on conflict (organization_id, code, currency, contract_id) do update
        set balance = a.balance + excluded.balance,
            updated_at = greatest(excluded.updated_at, a.updated_at + interval '1 millisecond')
      returning a.id, a.code, a.contract_id, a.currency, a.balance)
    select head.sequence, moved.* from head, moved`)
  const [first] = accounts
  if (!first) throw new Error('nothing was booked')
  return { last_sequence: first.sequence, accounts }
}

export interface NewTransaction {
  id: string
  sequence: number
  kind: string
  source: { kind: 'invoice' | 'payment'; id: string }
  description: string
  effective_date: string
  posted_at: string
  reverses_transaction_id: string | null
  entries: readonly NewEntry[]
}

export interface NewEntry {
  id: string
  position: number
  account_id: string
  direction: 'debit' | 'credit'
  amount: string
  currency: string
  balance_after: string
}

/** Writes transactions with their entries, and the links from those that they reverse. */
export function insertTransactions(tx: Transaction, organization_id: string, made: readonly NewTransaction[]): void {
  const rows = made.map(({ source, entries: _, ...row }) => ({
    ...row,
    source_kind: source.kind,
    source_id: source.id,
  }))
  const entries = made.flatMap(({ id: transaction_id, entries }) =>
    entries.map((entry) => ({ ...entry, transaction_id })),
  )
  tx.insert(sql`
    insert into ledger_transactions (organization_id, id, sequence, kind, source_kind, source_id, description,
                                     effective_date, posted_at, reverses_transaction_id, created_at, updated_at)
    select ${organization_id}::uuid, t.id, t.sequence, t.kind, t.source_kind, t.source_id, t.description,
           t.effective_date, t.posted_at, t.reverses_transaction_id, ${tx.now}::timestamptz, ${tx.now}::timestamptz
    from json_populate_recordset(null::ledger_transactions, ${JSON.stringify(rows)}::json) t`)
  tx.insert(sql`
    insert into ledger_entries (organization_id, transaction_id, id, position, account_id, direction, amount, currency,
                                balance_after)
    select ${organization_id}::uuid, e.transaction_id, e.id, e.position, e.account_id, e.direction, e.amount, e.currency,
           e.balance_after
    from json_populate_recordset(null::ledger_entries, ${JSON.stringify(entries)}::json) e`)
  for (const { id, reverses_transaction_id } of made) {
    if (reverses_transaction_id === null) continue
    tx.send(sql`
      update ledger_transactions
      set reversed_by_transaction_id = ${id}, ${moved(tx)}
      where organization_id = ${organization_id} and id = ${reverses_transaction_id}`)
  }
}

export interface AccountSums {
  currency: Currency
  /** Null for the sums of all accounts of the currency. */
  code: AccountCode | null
  contract_id: string | null
  debit: string
  credit: string
  balance: string
}

/** The sums of all that took effect up to a day: of each account, and of each currency. Zeros have the currency's decimals. */
export function sumsUpTo(
  tx: Transaction,
  organization_id: string,
  as_of: string,
  grows_by_credit: readonly AccountCode[],
): Promise<AccountSums[]> {
  return tx.rows<AccountSums>(sql`
    select a.currency, a.code, a.contract_id,
           sum(case e.direction when 'debit' then e.amount else 0 * e.amount end) as debit,
           sum(case e.direction when 'credit' then e.amount else 0 * e.amount end) as credit,
           sum(case when (e.direction = 'credit') = (a.code = any (${grows_by_credit})) then e.amount else -e.amount end) as balance
    from ledger_transactions t
    join ledger_entries e on e.organization_id = t.organization_id and e.transaction_id = t.id
    join ledger_accounts a on a.organization_id = e.organization_id and a.id = e.account_id
    where t.organization_id = ${organization_id} and t.effective_date <= ${as_of}
    group by grouping sets ((a.currency, a.code, a.contract_id), (a.currency))
    order by a.currency, a.code nulls first, a.contract_id`)
}

/** Entries of all that took effect in a period, in the order of booking. */
export function exportedEntries(
  tx: Transaction,
  organization_id: string,
  { from, to, currencies }: { from: string; to: string; currencies?: readonly string[] | undefined },
) {
  const chosen = currencies === undefined ? raw('') : sql`and e.currency = any (${currencies})`
  return tx.rows<ExportedEntry>(sql`
    select t.sequence, t.posted_at, t.effective_date, t.kind, t.source_kind, t.source_id, a.code as account_code,
           a.contract_id, e.direction, e.amount, e.currency, e.balance_after, r.sequence as reverses_sequence
    from ledger_transactions t
    join ledger_entries e on e.organization_id = t.organization_id and e.transaction_id = t.id
    join ledger_accounts a on a.organization_id = e.organization_id and a.id = e.account_id
    left join ledger_transactions r on r.organization_id = t.organization_id and r.id = t.reverses_transaction_id
    where t.organization_id = ${organization_id} and t.effective_date between ${from} and ${to} ${chosen}
    order by t.sequence, e.position`)
}

interface ExportedEntry extends Pick<NewEntry, 'direction' | 'amount' | 'balance_after'> {
  sequence: number
  posted_at: string
  effective_date: string
  kind: TransactionKind
  source_kind: 'invoice' | 'payment'
  source_id: string
  account_code: AccountCode
  contract_id: string | null
  currency: Currency
  reverses_sequence: number | null
}
