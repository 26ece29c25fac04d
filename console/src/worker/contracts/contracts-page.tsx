import type { Contract } from '#sdk/index.ts'
import { Rate } from '../../app/contracts/terms-facts.tsx'
import { typeWords } from '../../app/contracts/words.ts'
import { PageTitle } from '../../app/frame.tsx'
import { Day } from '../../components/date.tsx'
import { List } from '../../components/list.tsx'
import { Status } from '../../components/status.tsx'
import type { Column } from '../../components/table.tsx'
import { Link } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useList } from '../../lib/use-answer.ts'
import { useWorker } from '../worker.ts'
import { isToSign, stateWords } from './state.ts'
import { ToSign } from './to-sign.tsx'

/** The first page: what waits for the worker, then all its contracts. */
export function ContractsPage() {
  const { place } = useWorker()
  const list = useList(stint.worker.list_contracts, {})
  const rows = list.rows?.toSorted((a, b) => Number(isToSign(b)) - Number(isToSign(a))) ?? null
  return (
    <>
      <PageTitle title="Your contracts" />
      {rows ? <ToSign contracts={rows} /> : null}
      <List
        list={{ ...list, rows }}
        label="Contracts"
        one="contract"
        columns={columnsFor(place.organization_name)}
        empty={
          <>
            <h2>No contract yet</h2>
            <p>Contracts that are offered to you appear here, to be read and signed.</p>
          </>
        }
      />
    </>
  )
}

const columnsFor = (employer: string): readonly Column<Contract>[] => [
  {
    ...{ head: 'Contract', look: 'main' },
    cell: ({ id, title, type }) => (
      <>
        <Link to={`/worker/contracts/${id}`}>
          <bdi>{title}</bdi>
        </Link>
        <span className="under">{typeWords(type)}</span>
      </>
    ),
  },
  {
    head: 'Status',
    cell: (contract) => (
      <>
        <Status value={contract.status} />
        <span className="under">{stateWords(contract, employer)}</span>
      </>
    ),
  },
  { ...{ head: 'Pay', look: 'number' }, cell: (contract) => <Rate contract={contract} /> },
  { head: 'Start', cell: ({ start_date }) => <Day value={start_date} /> },
]
