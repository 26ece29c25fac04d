import type { Static, TObject } from 'typebox'
import { refuseDuplicate } from '#core/unique.ts'
import { type Sql, sql, type Transaction } from '#db/database.ts'
import { type ContractRow, contract } from '#resources/contracts/index.ts'
import { type AmendmentPath, type AmendmentRow, type AmendmentStatus, amendment } from './amendment.ts'
import { effectiveDateTaken, openAmendmentExists } from './problems.ts'

refuseDuplicate('amendments_open', openAmendmentExists, 'The contract has an amendment that is not settled yet.')
refuseDuplicate('amendments_approved', effectiveDateTaken, 'Another amendment takes effect on that date.')

export const ofContract = (contract_id: string): Sql => sql`amendments.contract_id = ${contract_id}`

/** Initial ones are the client's drafts: the worker sees an amendment from the client's signature on. */
export const shown_to_worker: Sql = sql`amendments.status <> 'initial'`

/** All amendments of a contract that are in one of the statuses, by effective date. */
export function amendmentsIn(
  tx: Transaction,
  organization_id: string,
  contract_id: string,
  statuses: readonly AmendmentStatus[],
): Promise<AmendmentRow[]> {
  return tx.rows<AmendmentRow>(sql`
    select ${amendment.columns} from ${amendment.tables}
    where amendments.organization_id = ${organization_id} and ${ofContract(contract_id)}
      and amendments.status = any (${statuses})
    order by amendments.effective_date nulls last, amendments.id`)
}

/**
 * An amendment that is about to change, under the lock of its contract: changes of a contract and of its amendments
 * happen one after the other. Throws `not_found`, also for a contract of another worker.
 */
export async function lockAmendment(
  tx: Transaction,
  { organization_id, worker_id }: { organization_id: string; worker_id?: string },
  { contract_id, amendment_id: id }: Static<TObject<typeof AmendmentPath>>,
): Promise<{ locked: ContractRow; before: AmendmentRow }> {
  const locked = await contract.lock(tx, { organization_id, id: contract_id, worker_id })
  const before = await amendment.get(tx, { organization_id, contract_id, id })
  return { locked, before }
}
