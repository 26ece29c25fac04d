import type { ReactNode } from 'react'
import type { Amendment, Contract } from '#sdk/index.ts'
import { Day } from '../../components/date.tsx'
import { Money } from '../../components/money.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { wordsOf } from '../../lib/format.ts'
import { entryOf } from '../../lib/nouns.ts'
import { useMe } from '../me.tsx'
import { cycleEndWords, daysWords, fieldWords, frequencyWords, prorationWords, scaleWords } from './words.ts'

type Change = Amendment['changes'][number]
type Value = Change['from']
type Side = 'from' | 'to'
type CyclePart = 'frequency' | 'cycle_end_type' | 'cycle_end'

interface Row {
  id: string
  words: string
  /** The term as it was or as it will be. */
  show(side: Side): ReactNode
}

export type Changed = Pick<Amendment, 'changes' | 'currency' | 'status' | 'amount' | 'scale'>

/** Each term that an amendment changes, as it was and as it will be. */
export function Changes({ amendment, contract }: { amendment: Changed; contract: Contract }) {
  const { sees } = useMe()
  const isAhead = ['initial', 'pending', 'approved'].includes(amendment.status)
  const rows = rowsOf(amendment, isAhead ? contract.compensation : null, !sees('compensation'))
  const columns: readonly Column<Row>[] = [
    { ...{ head: 'Term', look: 'main' }, cell: ({ words }) => words },
    { head: isAhead ? 'Now' : 'Before', cell: ({ show }) => show('from') },
    { head: isAhead ? 'New' : 'After', cell: ({ show }) => <strong>{show('to')}</strong> },
  ]
  return <Table label="Old and new terms" columns={columns} rows={rows} />
}

/** Terms that only mean something together stand in one row: an amount says little without what it is for. */
const together: Readonly<Record<string, string>> = { amount: 'rate', scale: 'rate', cycle_end_type: 'cycle_end' }

function rowsOf(amendment: Changed, now: Contract['compensation'] | null, isWithheld: boolean): Row[] {
  const { changes, currency } = amendment
  const change = (field: string) => changes.find((one) => one.field === field)
  const rate = (side: Side) => {
    // A part that does not change is as it will be.
    const [amount, scale] = (['amount', 'scale'] as const).map((field) => {
      const found = change(field)
      return found ? found[side] : amendment[field]
    })
    return (
      <>
        <Money amount={textOf(amount)} {...{ currency, isWithheld }} /> {scaleWords(textOf(scale))}
      </>
    )
  }
  const rows = changes.map(({ field }) => entryOf(together, field, field))
  return [...new Set(rows)].map((id) => ({
    ...{ id, words: fieldWords(id) },
    show: (side) => {
      if (id === 'rate') return rate(side)
      return id === 'cycle_end'
        ? cycleEnd((field) => change(field)?.[side] ?? now?.[field])
        : valueWords(id, change(id)?.[side] ?? null)
    },
  }))
}

const textOf = (value: Value | undefined) => (value === null || value === undefined ? null : String(value))

/**
 * The last day of a period. An amendment names only what differs; while it is open, the rest is as the contract has it now.
 * Later that may have changed as well, so only what was named is said.
 */
function cycleEnd(part: (field: CyclePart) => Value | undefined): ReactNode {
  const [type, end] = [part('cycle_end_type'), part('cycle_end')]
  if (typeof type === 'string' && typeof end === 'number') {
    return cycleEndWords(textOf(part('frequency')), type, end)
  }
  if (typeof end === 'number') return `day ${end}`
  return typeof type === 'string' ? wordsOf(type) : <span className="none">–</span>
}

function valueWords(field: string, value: Value): ReactNode {
  if (value === null) return <span className="none">{field === 'end_date' ? 'Open' : '–'}</span>
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (typeof value === 'number') return daysWords(value)
  if (/_date$|^first_cycle_end$/.test(field)) return <Day value={value} />
  if (field === 'frequency') return frequencyWords(value)
  return <bdi className="as-written">{field === 'proration' ? prorationWords(value) : value}</bdi>
}
