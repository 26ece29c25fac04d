import type { Context } from '#core/operation.ts'
import { changeContract } from './change-contract.ts'
import type { ContractRow } from './contract.ts'
import { withLastDay } from './lifecycle.ts'
import { addTermsVersion, type TermsVersion } from './terms-version.store.ts'

/**
 * Gives a locked, active contract new terms: writes the versions in their order and shows the terms of the last one.
 * A changed end date moves the timer of the contract's end.
 */
export async function amendContract(
  tx: Context['tx'],
  contract: ContractRow,
  amendment_id: string,
  versions: readonly [VersionToWrite, ...VersionToWrite[]],
): Promise<ContractRow> {
  const { terms } = versions.at(-1) ?? versions[0]
  const after = withLastDay({
    ...contract,
    ...terms,
    terms_version: contract.terms_version + 1,
    current_amendment_id: amendment_id,
  })
  const [{ row }] = await Promise.all([
    changeContract(tx, contract, after),
    // Sent one behind the other over one connection, so each takes the number after the one before.
    ...versions.map((version) => addTermsVersion(tx, contract, { ...version, amendment_id })),
  ])
  return row
}

type VersionToWrite = Pick<TermsVersion, 'effective_from' | 'terms'>
