import type { ReactionContext } from '#core/reaction.ts'
import { compileWithholding } from '#core/schema/fields.ts'
import type { TransactionKind } from './accounts.ts'
import { insertTransaction, moveBalances, type NewTransaction } from './ledger.store.ts'
import { ledgerTransaction } from './ledger-transaction.ts'
import { changeOf, type Entry, swapped, type WrittenEntry, writtenEntries } from './postings.ts'

type Booked = Omit<NewTransaction, 'id' | 'sequence' | 'posted_at'>

export interface Booking extends Omit<Booked, 'kind' | 'reverses_transaction_id'> {
  kind: Exclude<TransactionKind, 'reversal'>
  /** At most one on each account. */
  entries: readonly Entry[]
}

export type BookContext = Pick<ReactionContext, 'tx' | 'newId' | 'posted' | 'now'>

/** Books what an invoice or a payment makes of the accounts; where that is nothing, no transaction is written. */
export async function book(context: BookContext, { entries, ...booking }: Booking): Promise<void> {
  await post(context, { ...booking, reverses_transaction_id: null }, writtenEntries(entries))
}

/** Books the transaction of a source, if there was something to book, again with its sides swapped. */
export async function reverse(context: BookContext, { kind, ...booking }: Omit<Booking, 'entries'>): Promise<void> {
  const { organization_id, source } = booking
  const forward = await ledgerTransaction.find(context.tx, { organization_id, source_id: source.id, kind })
  if (!forward) return
  const entries = forward.entries.map(({ account_code: code, contract_id, direction, amount, currency }) =>
    // The cast holds because nothing is withheld from a row.
    swapped({ code, contract_id, direction, amount: amount as string, currency }),
  )
  await post(context, { ...booking, kind: 'reversal', reverses_transaction_id: forward.id }, entries)
}

async function post(context: BookContext, booked: Booked, entries: readonly WrittenEntry[]): Promise<void> {
  if (entries.length === 0) return
  const { tx, newId, now, posted } = context
  const changes = entries.map((entry) => ({ ...entry, account_id: newId(), change: changeOf(entry) }))
  const { sequence, accounts } = await moveBalances(tx, booked.organization_id, changes)
  const rows = entries.map((entry, index) => {
    const { direction, amount, currency } = entry
    const account = accounts.find(
      (moved) => moved.code === entry.code && moved.contract_id === entry.contract_id && moved.currency === currency,
    )
    if (!account) throw new Error(`nothing was booked on ${entry.code}`)
    const { id: account_id, balance: balance_after } = account
    return { id: newId(), position: index + 1, account_id, direction, amount, currency, balance_after }
  })
  insertTransaction(tx, { ...booked, id: newId(), sequence, posted_at: now }, rows)
  posted({ told: toldOf(booked, entries), withhold })
}

const { withhold } = compileWithholding(ledgerTransaction.answer)

/** A transaction without what others move meanwhile: its number, balances. */
function toldOf({ kind, source, description, effective_date }: Booked, entries: readonly WrittenEntry[]): object {
  const told = entries.map(({ code: account_code, ...entry }) => ({ account_code, ...entry }))
  return { kind, source, description, effective_date, entries: told }
}
