import type { Context } from '#core/operation.ts'
import { personUpdated } from '#resources/people/index.ts'
import { changeContract, emitWorkerStatus } from './change-contract.ts'
import { type ContractRow, termsOf } from './contract.ts'
import { contractEntry, contractSignatureAdded, contractSigned, contractStatusUpdated } from './events.ts'
import { type Party, sign } from './lifecycle.ts'
import { addTermsVersion } from './terms-version.store.ts'

export const signatureEvents = [contractSignatureAdded, contractSigned, contractStatusUpdated, personUpdated] as const

type Needs = Pick<Context<(typeof signatureEvents)[number]>, 'tx' | 'now' | 'caller' | 'emit'>

/** One party signs the locked contract; the second signature makes it active, under version 1 of its terms. */
export async function addSignature(
  before: ContractRow,
  { party, name, terms_version }: { party: Party; name: string; terms_version: number | undefined },
  context: Needs,
): Promise<ContractRow> {
  const { tx, now, caller, emit } = context
  const after = sign(before, { party, name, at: now, by: caller.actor, terms_version })
  const [{ row, worker }] = await Promise.all([
    changeContract(tx, before, after),
    after.status === 'active' && addTermsVersion(tx, after, firstVersion(after)),
  ])
  emit(contractSignatureAdded, { ...contractEntry(row), party, signed_at: now })
  const { client_signed_at, worker_signed_at } = row
  if (client_signed_at !== null && worker_signed_at !== null) {
    emit(contractSigned, { ...contractEntry(row), client_signed_at, worker_signed_at })
    emit(contractStatusUpdated, { ...contractEntry(row), previous_status: before.status })
  }
  emitWorkerStatus(context, worker)
  return row
}

function firstVersion(row: ContractRow) {
  return { amendment_id: null, effective_from: row.start_date, terms: termsOf(row) }
}
