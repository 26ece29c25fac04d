import type { InvoiceWithoutLines } from '#sdk/index.ts'
import { PageTitle } from '../../app/frame.tsx'
import { Day } from '../../components/date.tsx'
import { List } from '../../components/list.tsx'
import { Money } from '../../components/money.tsx'
import { Status } from '../../components/status.tsx'
import type { Column } from '../../components/table.tsx'
import { Link } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useList } from '../../lib/use-answer.ts'

/** Invoices of the worker: money that is owed and that was paid. */
export function InvoicesPage() {
  const list = useList(stint.worker.list_invoices, {})
  return (
    <>
      <PageTitle title="Invoices" lead={<p>Made for you at the end of each period, from what your contracts say.</p>} />
      <List
        list={list}
        label="Invoices"
        one="invoice"
        columns={columns}
        empty={
          <>
            <h2>No invoice yet</h2>
            <p>The first one comes at the end of the first period of an active contract.</p>
          </>
        }
      />
    </>
  )
}

const columns: readonly Column<InvoiceWithoutLines>[] = [
  {
    ...{ head: 'Number', look: 'main' },
    cell: ({ id, number, period_start, period_end }) => (
      <>
        <Link to={`/worker/invoices/${id}`}>{number}</Link>
        {period_start && period_end ? (
          <span className="under">
            <Day value={period_start} /> – <Day value={period_end} />
          </span>
        ) : null}
      </>
    ),
  },
  { head: 'Status', cell: ({ status, is_overdue }) => <Status value={is_overdue ? 'overdue' : status} /> },
  { head: 'Issued', cell: ({ issue_date }) => <Day value={issue_date} /> },
  { head: 'Due', cell: ({ due_date }) => <Day value={due_date} /> },
  {
    ...{ head: 'Total', look: 'number' },
    cell: ({ total, currency }) => <Money amount={total} currency={currency} />,
  },
]
