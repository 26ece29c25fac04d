import { fieldWords, valueWords } from '../../app/contracts/words.ts'
import { Day } from '../../components/date.tsx'
import { Money } from '../../components/money.tsx'
import { type Column, Table } from '../../components/table.tsx'

export interface Change {
  field: string
  words?: string
  from: string | number | boolean | null
  to: string | number | boolean | null
}

interface SideBySideProps {
  label: string
  changes: readonly Change[]
  currency: string
}

/** Terms as they were and as they will be, each pair in one row. */
export function SideBySide({ label, changes, currency }: SideBySideProps) {
  const after = (field: string) => changes.find((one) => one.field === field)?.to ?? null
  const columns: readonly Column<Change>[] = [
    { ...{ head: 'Term', look: 'main' }, cell: ({ field, words }) => words ?? fieldWords(field) },
    { head: 'Before', cell: ({ field, from }) => <Value {...{ field, currency, after }} value={from} /> },
    {
      head: 'New',
      cell: ({ field, to }) => (
        <strong>
          <Value {...{ field, currency, after }} value={to} />
        </strong>
      ),
    },
  ]
  return <Table label={label} columns={columns} rows={changes} idOf={({ field }) => field} />
}

interface ValueProps {
  field: string
  value: Change['from']
  currency: string
  after(field: string): unknown
}

function Value({ field, value, currency, after }: ValueProps) {
  if (value === null) return <span className="none">none</span>
  if (field === 'amount') return <Money amount={String(value)} currency={currency} />
  if (/_date$|^first_cycle_end$/.test(field)) return <Day value={String(value)} />
  return <bdi className="as-written">{valueWords(field, value, after)}</bdi>
}
