import { anyOf, atLeast, atMost, equals, matching } from '#core/filters.ts'
import { defineResource } from '#core/resource.ts'
import { server } from '#core/schema/fields.ts'
import {
  CalendarDate,
  CurrencyCode,
  Id,
  MoneyAmount,
  Nullable,
  Sensitive,
  Timestamp,
  Type,
} from '#core/schema/schema.ts'
import { contract } from '#resources/contracts/index.ts'
import { AccountCodes, Direction, transaction_kinds } from './accounts.ts'
import { entriesOfTransaction, touchesAccount, touchesContract } from './ledger.store.ts'
import { ledgerAccount } from './ledger-account.ts'

export const LedgerEntry = Type.Object({
  id: Id,
  account_id: Id,
  account_code: AccountCodes,
  contract_id: Nullable(Id),
  direction: Direction,
  amount: Sensitive('compensation', MoneyAmount),
  currency: CurrencyCode,
  balance_after: Sensitive('compensation', MoneyAmount),
})

/** A booking for an invoice or a payment; it never changes, but for the link to its reversal. */
export const ledgerTransaction = defineResource({
  name: 'ledger_transaction',
  title: 'LedgerTransaction',
  table: 'ledger_transactions',
  label: 'description',
  fields: {
    id: { type: Id, ...server, example: '019d4a1c-e480-7b52-9c06-4d8e1f7a2b93' },
    sequence: {
      type: Type.Integer({ minimum: 1, description: 'Counts the transactions without a gap.' }),
      ...server,
      example: 34,
    },
    kind: { type: Type.Enum([...transaction_kinds]), ...server, example: 'invoice_issued' },
    source: {
      group: {
        kind: { type: Type.Enum(['invoice', 'payment']), ...server, column: 'source_kind', example: 'invoice' },
        id: { type: Id, ...server, column: 'source_id' },
      },
      ...server,
    },
    description: { type: Type.String(), ...server, example: 'Invoice INV-2026-000022' },
    effective_date: { type: CalendarDate, ...server, example: '2026-04-01' },
    posted_at: { type: Timestamp, ...server, example: '2026-03-31T22:00:00.000Z' },
    reverses_transaction_id: { type: Id, nullable: true, ...server },
    reversed_by_transaction_id: { type: Id, nullable: true, ...server },
    entries: { type: Type.Array(LedgerEntry), read_from: entriesOfTransaction },
    created_at: { type: Timestamp, ...server },
    updated_at: { type: Timestamp, ...server },
  },
  listed: { order: ['ledger_transactions.sequence'] },
  filters: {
    kinds: anyOf('kind', 'Of any of these kinds.'),
    account_id: matching(Id, touchesAccount, ledgerAccount),
    contract_id: matching(Id, touchesContract, contract),
    source_id: equals('source_id'),
    effective_date_from: atLeast('effective_date'),
    effective_date_to: atMost('effective_date'),
  },
})
