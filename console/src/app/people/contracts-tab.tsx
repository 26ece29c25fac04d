import type { Contract, Person } from '#sdk/index.ts'
import { Day } from '../../components/date.tsx'
import { List } from '../../components/list.tsx'
import { Money } from '../../components/money.tsx'
import { Status } from '../../components/status.tsx'
import type { Column } from '../../components/table.tsx'
import { wordsOf } from '../../lib/format.ts'
import { Link } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useList } from '../../lib/use-answer.ts'
import { useMe } from '../me.tsx'

/** The contracts of a person, the ended ones too. */
export function ContractsTab({ person: { id, full_name } }: { person: Person }) {
  const { can, sees } = useMe()
  const list = useList(stint.contracts.list, { worker_id: id })
  const pay: Column<Contract> = {
    ...{ head: 'Pay', look: 'number' },
    cell: ({ compensation: { amount, currency } }) => (
      <Money amount={amount} currency={currency} isWithheld={!sees('compensation')} />
    ),
  }
  return (
    <section aria-label="Contracts">
      <List
        list={list}
        label="Contracts"
        one="contract"
        columns={[...columns, pay]}
        isPale={({ ended_at }) => ended_at !== null}
        empty={
          <>
            <h2>No contract yet</h2>
            <p>A contract says what {full_name} does and is paid. It binds once both have signed.</p>
            {can('contracts:write') ? (
              <p>
                <Link className="button primary" to={`/contracts/new?worker=${id}`}>
                  Draft a contract
                </Link>
              </p>
            ) : null}
          </>
        }
      />
      <p className="actions">
        <Link to={`/timesheets?view=all&person=${id}`}>Timesheets</Link>
        <Link to={`/adjustments?view=all&person=${id}`}>Adjustments</Link>
      </p>
    </section>
  )
}

const columns: readonly Column<Contract>[] = [
  {
    ...{ head: 'Contract', look: 'main' },
    cell: ({ id, title, type }) => (
      <>
        <Link to={`/contracts/${id}`}>
          <bdi>{title}</bdi>
        </Link>
        <span className="under">{wordsOf(type)}</span>
      </>
    ),
  },
  { head: 'Status', cell: ({ status }) => <Status value={status} /> },
  { head: 'From', cell: ({ start_date }) => <Day value={start_date} /> },
  { head: 'To', cell: ({ last_day, end_date }) => <Day value={last_day ?? end_date} none="open" /> },
]
