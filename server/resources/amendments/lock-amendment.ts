import { notFound } from '#core/problems.ts'
import type { Transaction } from '#db/database.ts'
import { type ContractRow, lockContract } from '#resources/contracts/index.ts'
import { findAmendment } from './amendment.store.ts'
import type { AmendmentRow } from './amendment.ts'

/** The amendment of a path, or of a caller: a worker names its own contracts only. */
interface Wanted {
  organization_id: string
  contract_id: string
  amendment_id: string
  worker_id?: string | undefined
}

/**
 * An amendment that is about to change, under the lock of its contract: changes of a contract and of its amendments
 * happen one after the other. Throws `not_found`, also for a contract of another worker.
 */
export async function lockAmendment(
  tx: Transaction,
  { organization_id, contract_id, amendment_id, worker_id }: Wanted,
): Promise<{ contract: ContractRow; amendment: AmendmentRow }> {
  const contract = await lockContract(tx, organization_id, contract_id, worker_id)
  const amendment = await findAmendment(tx, organization_id, contract_id, amendment_id)
  if (!amendment) throw notFound()
  return { contract, amendment }
}
