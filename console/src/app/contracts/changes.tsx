import type { Amendment } from '#sdk/index.ts'
import { Day } from '../../components/date.tsx'
import { Money } from '../../components/money.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { useMe } from '../me.tsx'
import { fieldWords, valueWords } from './words.ts'

type Change = Amendment['changes'][number]
type Side = 'from' | 'to'

/** Each term that an amendment changes, as it was and as it will be. */
export function Changes({ amendment: { status, changes, currency } }: { amendment: Amendment }) {
  const { sees } = useMe()
  const isAhead = status === 'initial' || status === 'pending' || status === 'approved'
  const cell = (side: Side) => (change: Change) => {
    const { field, [side]: value } = change
    if (field === 'amount') {
      return (
        <Money amount={value === null ? null : String(value)} {...{ currency, isWithheld: !sees('compensation') }} />
      )
    }
    if (value === null) return <span className="none">{field === 'end_date' ? 'Open' : '–'}</span>
    if (field === 'end_date' || field === 'first_cycle_end') return <Day value={String(value)} />
    return (
      <bdi className="as-written">
        {valueWords(field, value, (beside) => changes.find((one) => one.field === beside)?.[side])}
      </bdi>
    )
  }
  const columns: readonly Column<Change>[] = [
    { ...{ head: 'Term', look: 'main' }, cell: ({ field }) => fieldWords(field) },
    { head: isAhead ? 'Now' : 'Before', cell: cell('from') },
    { head: isAhead ? 'New' : 'After', cell: (change) => <strong>{cell('to')(change)}</strong> },
  ]
  return <Table label="Old and new terms" columns={columns} rows={changes} idOf={({ field }) => field} />
}
