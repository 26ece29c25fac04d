import { useRef, useState } from 'react'
import type { Entitlement } from '#sdk/index.ts'
import { List } from '../../components/list.tsx'
import { SelectField } from '../../components/select-field.tsx'
import type { Column } from '../../components/table.tsx'
import { Withheld } from '../../components/withheld.tsx'
import { Link } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useList } from '../../lib/use-answer.ts'
import { useMe } from '../me.tsx'

const years_around = 2

/** What a person may take, has taken and has asked for, year by year. */
export function EntitlementsTab({ person_id }: { person_id: string }) {
  const { sees } = useMe()
  const [chosen, setYear] = useState<number>()
  const list = useList(
    stint.time_offs.list_entitlements,
    { person_id, year: chosen },
    (row) => row.policy?.id ?? row.period_start,
  )
  // The current year is that of the organization, whose test clock may be elsewhere.
  const current = useRef<number>(undefined)
  if (chosen === undefined && list.rows?.[0]) current.current = yearOf(list.rows[0])
  const now = current.current ?? new Date().getFullYear()
  const years = Array.from({ length: 2 * years_around + 1 }, (_, at) => String(now + years_around - at))
  if (!sees('health_and_leave')) {
    return (
      <section aria-label="Time off" className="empty">
        <p>
          Balances of leave: <Withheld />. Owners and admins see them.
        </p>
        <p>
          <Link to={`/time-off?view=all&person=${person_id}`}>When the person is away</Link>
        </p>
      </section>
    )
  }
  return (
    <section aria-label="Time off">
      <div className="filters">
        <SelectField
          label="Year"
          options={years.map((value) => ({ value, words: value }))}
          value={String(chosen ?? now)}
          onChange={(event) => setYear(Number(event.currentTarget.value))}
        />
      </div>
      <List
        list={list}
        label="Balances"
        one="policy"
        columns={columns}
        idOf={(row) => row.policy?.id ?? row.period_start}
        empty={
          <>
            <h2>No policy yet</h2>
            <p>Balances follow from the policies of time off.</p>
            <p>
              <Link className="button secondary" to="/time-off?view=policies">
                Show policies
              </Link>
            </p>
          </>
        }
      />
      <p>
        <Link to={`/time-off?view=all&person=${person_id}`}>Show the absences</Link>
      </p>
    </section>
  )
}

const yearOf = ({ period_start }: Entitlement) => Number(period_start.slice(0, 4))

const number = (head: string, of: (row: Entitlement) => string | null, none = '–'): Column<Entitlement> => ({
  ...{ head, look: 'number' },
  cell: (row) => of(row) ?? <span className="none">{none}</span>,
})

const columns: readonly Column<Entitlement>[] = [
  { ...{ head: 'Policy', look: 'main' }, cell: ({ policy }) => policy?.name ?? <Withheld /> },
  number('Days of the year', ({ allowance }) => allowance, 'no limit'),
  number('Taken', ({ used }) => used),
  number('Approved', ({ approved }) => approved),
  number('Requested', ({ requested }) => requested),
  number('Available', ({ available }) => available, 'no limit'),
]
