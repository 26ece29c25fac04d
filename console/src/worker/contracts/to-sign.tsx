import type { Amendment, Contract } from '#sdk/index.ts'
import { Link } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useAnswer } from '../../lib/use-answer.ts'
import { isToSign } from './state.ts'

const asked_max = 20

interface Waiting {
  contract: Contract
  amendment: Amendment | null
}

/** Contracts and new terms that wait for the worker, each with its way there; nothing where there are none. */
export function ToSign({ contracts }: { contracts: readonly Contract[] }) {
  const active = contracts.filter(({ status }) => status === 'active').slice(0, asked_max)
  const { value } = useAnswer(
    pendingAmendments,
    active.map(({ id }) => id),
  )
  const waiting: Waiting[] = contracts.filter(isToSign).map((contract) => ({ contract, amendment: null }))
  for (const amendment of value ?? []) {
    const contract = active.find(({ id }) => id === amendment.contract_id)
    if (contract) waiting.push({ contract, amendment })
  }
  if (waiting.length === 0) return null
  return (
    <section className="panel to-sign" aria-labelledby="to-sign">
      <h2 id="to-sign">Waits for you</h2>
      <ul className="rows">
        {waiting.map(({ contract, amendment }) => (
          <li key={amendment?.id ?? contract.id}>
            <span>
              <bdi>{contract.title}</bdi>
              <span className="under">
                {amendment ? 'New terms are proposed.' : 'Read the terms, then sign or reject.'}
              </span>
            </span>
            <Link className="button primary small" to={`/worker/contracts/${contract.id}`}>
              {amendment ? 'Read the new terms' : 'Read and sign'}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

async function pendingAmendments(contract_ids: readonly string[]): Promise<Amendment[]> {
  const pages = await Promise.all(
    contract_ids.map((contract_id) => stint.worker.list_amendments({ contract_id, statuses: ['pending'] }).page()),
  )
  return pages.flatMap(({ data }) => data)
}
