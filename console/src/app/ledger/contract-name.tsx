import { Link } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useAnswer } from '../../lib/use-answer.ts'

/** The contract of this id, by its worker and title once they are known. */
export function ContractName({ id }: { id: string }) {
  const { value } = useAnswer(stint.contracts.get, { contract_id: id })
  return (
    <Link to={`/contracts/${id}`}>
      {value ? <bdi>{`${value.worker_name} · ${value.title}`}</bdi> : `Contract ${id.slice(0, 8)}…`}
    </Link>
  )
}
