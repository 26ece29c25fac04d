import type { PaymentCycle } from '#sdk/index.ts'
import { Day } from '../../components/date.tsx'
import { List } from '../../components/list.tsx'
import { Status } from '../../components/status.tsx'
import type { Column } from '../../components/table.tsx'
import { Link, useSearch } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useList } from '../../lib/use-answer.ts'
import { ContractFilter } from '../contract-filter.tsx'
import { PageTitle } from '../frame.tsx'

/** The periods that a contract is paid by, with what each will be or was. */
export function CyclesPage() {
  const [search] = useSearch()
  const contract_id = search.get('contract')
  return (
    <>
      <PageTitle
        title="Payment cycles"
        back={{ to: '/invoices', words: 'Invoices' }}
        lead={<p>Choose a contract, then see what the invoice of a cycle would contain now.</p>}
      />
      <div className="form above">
        <ContractFilter placeholder="Worker or title" />
      </div>
      {contract_id ? <Cycles key={contract_id} contract_id={contract_id} /> : null}
    </>
  )
}

function Cycles({ contract_id }: { contract_id: string }) {
  const list = useList(stint.payment_cycles.list, { contract_id })
  return (
    <List
      list={list}
      label="Payment cycles"
      one="payment cycle"
      columns={columns}
      isPale={({ status }) => status === 'cancelled'}
      empty={
        <>
          <h2>No payment cycle</h2>
          <p>The first one begins when both have signed. The contract of an employee has none.</p>
        </>
      }
    />
  )
}

const columns: readonly Column<PaymentCycle>[] = [
  {
    ...{ head: 'Cycle', look: 'main' },
    cell: ({ id, contract_id, start_date, end_date }) => (
      <Link to={`/invoices/cycles/${id}?contract=${contract_id}`}>
        <Day value={start_date} /> to <Day value={end_date} />
      </Link>
    ),
  },
  { head: 'Status', cell: ({ status }) => <Status value={status} /> },
  { head: 'Invoiced on', cell: ({ issue_date }) => <Day value={issue_date} /> },
  { head: 'Due', cell: ({ due_date }) => <Day value={due_date} /> },
  {
    head: 'Invoice',
    cell: ({ invoice_id }) =>
      invoice_id === null ? <span className="none">–</span> : <Link to={`/invoices/${invoice_id}`}>Invoice</Link>,
  },
]
