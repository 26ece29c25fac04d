import { csvOf } from '#core/csv.ts'
import { defineOperation } from '#core/operation.ts'
import { dateOutOfRange } from '#core/problems.ts'
import { CalendarDate, Closed, Nullable, Type } from '#core/schema/schema.ts'
import { addDays } from '#core/values.ts'
import { exportedEntries } from './ledger.store.ts'
import { ledgerAccount } from './ledger-account.ts'
import { LedgerEntry, ledgerTransaction } from './ledger-transaction.ts'
import { reading } from './read-ledger.ts'

const days_max = 366

const { sequence, posted_at, effective_date, kind, source } = ledgerTransaction.answer.properties
const { account_code, contract_id, direction, amount, currency, balance_after } = LedgerEntry.properties

/** The columns in their order. */
const Exported = Type.Object({
  ...{
    sequence,
    posted_at,
    effective_date,
    kind,
    source_kind: source.properties.kind,
    source_id: source.properties.id,
  },
  ...{ account_code, contract_id, direction, amount, currency, balance_after, reverses_sequence: Nullable(sequence) },
})
// The cast gives the keys their names back.
const columns = Object.keys(Exported.properties) as (keyof typeof Exported.properties)[]
const numbers = new Set(['sequence', 'amount', 'balance_after', 'reverses_sequence'])

export const exportLedger = defineOperation({
  ...reading,
  id: 'ledger.export',
  summary: 'Export the ledger as CSV',
  description: 'One row per entry of all that took effect from `from` to `to`, in the order of booking.',
  path: '/ledger/export',
  input: Closed({
    from: { ...CalendarDate, description: 'First effective date.' } as typeof CalendarDate,
    to: {
      ...CalendarDate,
      description: `Last effective date, at most ${days_max} days in all.`,
    } as typeof CalendarDate,
    currencies: ledgerAccount.filters.currencies,
  }),
  output: Type.Array(Exported),
  file: {
    media_type: 'text/csv; charset=utf-8',
    file_name: () => 'ledger.csv',
    write: (rows) => csvOf(columns, numbers, rows),
  },
  problems: [dateOutOfRange],

  async handle({ from, to, currencies }, { caller: { organization_id }, tx }) {
    const last = addDays(from, days_max - 1)
    if (to < from || to > last) {
      throw dateOutOfRange(undefined, { errors: [{ pointer: '/to', message: `must be from ${from} to ${last}` }] })
    }
    return exportedEntries(tx, organization_id, { from, to, currencies })
  },
})
