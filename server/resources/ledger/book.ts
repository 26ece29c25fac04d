import type { ReactionContext } from '#core/reaction.ts'
import { compileWithholding } from '#core/schema/fields.ts'
import { formatMoney, storedMoney, sumOf } from '#core/values.ts'
import type { TransactionKind } from './accounts.ts'
import {
  type BalanceChange,
  insertTransactions,
  type MovedAccount,
  moveBalances,
  type NewTransaction,
} from './ledger.store.ts'
import { ledgerTransaction } from './ledger-transaction.ts'
import { changeOf, type Entry, swapped, type WrittenEntry, writtenEntries } from './postings.ts'

type Booked = Omit<NewTransaction, 'id' | 'sequence' | 'posted_at' | 'entries'> & { organization_id: string }

export interface Booking extends Omit<Booked, 'kind' | 'reverses_transaction_id'> {
  kind: Exclude<TransactionKind, 'reversal'>
  /** At most one on each account. */
  entries: readonly Entry[]
}

export type BookContext = Pick<ReactionContext, 'tx' | 'newId' | 'posted' | 'now'>

/** Books what an invoice or a payment makes of the accounts; where that is nothing, no transaction is written. */
export function book(context: BookContext, booking: Booking): Promise<void> {
  return bookAll([{ context, booking }])
}

/** The same for many of one organization, in their order. */
export function bookAll(all: readonly { context: BookContext; booking: Booking }[]): Promise<void> {
  return post(
    all.map(({ context, booking: { entries, ...booking } }) => ({
      ...{ context, booked: { ...booking, reverses_transaction_id: null }, entries: writtenEntries(entries) },
    })),
  )
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
  await post([{ context, booked: { ...booking, kind: 'reversal', reverses_transaction_id: forward.id }, entries }])
}

interface Post {
  context: BookContext
  booked: Booked
  entries: readonly WrittenEntry[]
}

/** Writes transactions one after the other, as if each were alone, by one statement for the balances and one for the rows. */
async function post(all: readonly Post[]): Promise<void> {
  const posts = all.filter(({ entries }) => entries.length > 0)
  const [first] = posts
  if (!first) return
  const { tx, newId, now } = first.context
  const { organization_id } = first.booked
  const moves = posts.flatMap(({ entries }) => entries.map((entry) => ({ ...entry, change: changeOf(entry) })))
  const changes = [...Map.groupBy(moves, accountOf).values()].flatMap((own) => {
    const [move] = own
    if (!move) return []
    const { code, contract_id, currency } = move
    const change = formatMoney(
      sumOf(
        currency,
        own.map((each) => storedMoney(each.change, currency)),
      ).minor,
      currency,
    )
    return { account_id: newId(), code, contract_id, currency, change }
  })
  const { last_sequence, accounts } = await moveBalances(tx, organization_id, posts.length, changes)
  const balances = balancesBefore(accounts, changes)
  const rows = posts.map(({ booked, entries }, at) => {
    const id = newId()
    const written = entries.map((entry, index) => {
      const account = balances.get(accountOf(entry))
      if (!account) throw new Error(`nothing was booked on ${entry.code}`)
      const { direction, amount, currency } = entry
      account.minor += storedMoney(changeOf(entry), currency).minor
      const balance_after = formatMoney(account.minor, currency)
      return { id: newId(), position: index + 1, account_id: account.id, direction, amount, currency, balance_after }
    })
    const sequence = last_sequence - posts.length + at + 1
    return { ...booked, id, sequence, posted_at: now, entries: written }
  })
  insertTransactions(tx, organization_id, rows)
  for (const { context, booked, entries } of posts) context.posted({ told: toldOf(booked, entries), withhold })
}

const accountOf = ({ code, contract_id, currency }: Pick<WrittenEntry, 'code' | 'contract_id' | 'currency'>) =>
  `${code} ${currency} ${contract_id}`

/** The accounts with their balances as they were before the changes. */
function balancesBefore(accounts: readonly MovedAccount[], changes: readonly BalanceChange[]) {
  const changed = new Map(changes.map((change) => [accountOf(change), change.change]))
  return new Map(
    accounts.map((account) => {
      const key = accountOf(account)
      const after = storedMoney(account.balance, account.currency).minor
      return [key, { id: account.id, minor: after - storedMoney(changed.get(key) ?? '0', account.currency).minor }]
    }),
  )
}

const { withhold } = compileWithholding(ledgerTransaction.answer)

/** A transaction without what others move meanwhile: its number, balances. */
function toldOf({ kind, source, description, effective_date }: Booked, entries: readonly WrittenEntry[]): object {
  const told = entries.map(({ code: account_code, ...entry }) => ({ account_code, ...entry }))
  return { kind, source, description, effective_date, entries: told }
}
