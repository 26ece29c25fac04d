import { type Context, defineOperation } from '#core/operation.ts'
import { amountPrecision, dateOutOfRange, externalIdInUse, missingValue, referenceNotFound } from '#core/problems.ts'
import type { Static } from '#core/schema/schema.ts'
import { trimDecimal } from '#core/values/money.ts'
import { holdTeam } from '#resources/teams/index.ts'
import { changeContract } from './change-contract.ts'
import { changedColumns, lockContract } from './contract.store.ts'
import type { ContractRow } from './contract.ts'
import { Contract, ContractChangeInput, contractOf } from './contract-schema.ts'
import { contractEntry, contractUpdated } from './events.ts'
import { clearSignatures, isSigned, startDateRefusals, today, withLastDay } from './lifecycle.ts'
import { invalidTerms, termsLocked, termsProblem } from './problems.ts'
import { diffTerms, reviseTerms, type TermsInput } from './terms.ts'
import { termsIn, termsPointer } from './terms-fields.ts'

type Change = Omit<Static<typeof ContractChangeInput>, 'contract_id'>

export const updateContract = defineOperation({
  id: 'contracts.update',
  summary: 'Change a contract',
  description:
    'Title, team, region, tax and external_id change at any time. Terms change only while the contract is pending, and a change of terms clears the signatures already given; afterwards an amendment changes them.',
  method: 'PATCH',
  path: '/contracts/:contract_id',
  scopes: ['contracts:write'],
  roles: ['owner', 'admin'],
  input: ContractChangeInput,
  output: Contract,
  problems: [
    termsLocked,
    invalidTerms,
    amountPrecision,
    missingValue,
    dateOutOfRange,
    referenceNotFound,
    externalIdInUse,
  ],
  emits: [contractUpdated],
  tool: {
    name: 'update_contract',
    text: 'Change a contract. title, team, region, tax and external_id change at any time; everything else are terms, which change while it is pending and then clear the signatures given. Terms of an active contract: create_contract_amendment.',
    told: { compensation: 'Fields as for create_contract, all optional, without currency.' },
  },

  async handle({ contract_id, ...change }, { caller, tx, now, emit, audit, unchanged, writes_withheld }) {
    const before = await lockContract(tx, caller.organization_id, contract_id)
    const revised = withTerms(before, termsIn(change), { now, writes_withheld })
    const after = { ...withHead(revised, change), ...(await teamOf(before, change, tx)) }
    if (changedColumns(before, after).length === 0) {
      unchanged()
      return contractOf(before)
    }
    const { row } = await changeContract(tx, before, after)
    const changed_fields = changedFields(before, after, change)
    const signatures_cleared = isSigned(before) && !isSigned(after)
    emit(contractUpdated, { ...contractEntry(row), changed_fields, signatures_cleared })
    audit({ changed_fields })
    return contractOf(row)
  },
})

/** The row under new terms, which nobody has signed; under terms that equal its own it stays as it is. */
function withTerms(
  row: ContractRow,
  change: Partial<TermsInput>,
  { now, writes_withheld }: Pick<Context, 'now' | 'writes_withheld'>,
): ContractRow {
  if (Object.keys(change).length === 0) return row
  const terms = reviseTerms(row.type, row.currency, row, change)
  if (!Array.isArray(terms) && !writes_withheld && diffTerms(row, terms).length === 0) return row
  if (row.status !== 'pending') {
    const message = 'is a term of the contract'
    const errors = Object.keys(change).map((field) => ({ pointer: termsPointer(field), message }))
    const way = row.status === 'active' ? ' Propose an amendment: POST /contracts/{contract_id}/amendments.' : ''
    throw termsLocked(`The contract is ${row.status}; its terms no longer change directly.${way}`, { errors })
  }
  if (Array.isArray(terms)) throw termsProblem(terms)
  const refusals =
    terms.start_date === row.start_date ? [] : startDateRefusals(terms.start_date, today(now, row.timezone))
  if (refusals.length > 0) throw termsProblem(refusals)
  return clearSignatures(withLastDay({ ...row, ...terms, terms_version: row.terms_version + 1 }))
}

/** The row with what may change at any time; objects are merged field by field. */
function withHead(row: ContractRow, { title, external_id, region, tax = {} }: Change): ContractRow {
  const { vat_rate, reverse_charge } = tax
  return {
    ...row,
    ...(title !== undefined && { title }),
    ...(external_id !== undefined && { external_id }),
    ...(region !== undefined && { region }),
    ...(vat_rate !== undefined && { vat_rate: vat_rate === null ? null : trimDecimal(vat_rate) }),
    ...(reverse_charge !== undefined && { reverse_charge }),
  }
}

async function teamOf(
  { organization_id, team_id, team_name }: ContractRow,
  change: Change,
  tx: Context['tx'],
): Promise<Pick<ContractRow, 'team_id' | 'team_name'>> {
  if (change.team_id === undefined) return { team_id, team_name }
  if (change.team_id === null) return { team_id: null, team_name: null }
  const team = await holdTeam(tx, organization_id, change.team_id)
  if (!team) throw referenceNotFound(undefined, { errors: [{ pointer: '/team_id', message: 'does not exist' }] })
  return { team_id: team.id, team_name: team.name }
}

/**
 * The fields of a request that changed, those inside an object with its name before them: `compensation.amount`. The
 * amount is one whenever it is named beside a change of terms, so that the list tells nothing of it.
 */
function changedFields(before: ContractRow, after: ContractRow, change: Change): string[] {
  const { compensation = {}, tax = {}, ...head } = change
  const within = (object: string, fields: object, told: readonly string[] = []) =>
    Object.keys(fields)
      .filter((field) => differs(before, after, field) || told.includes(field))
      .map((field) => `${object}.${field}`)
  return [
    ...Object.keys(head).filter((field) => differs(before, after, field)),
    ...within('compensation', compensation, before.terms_version === after.terms_version ? [] : ['amount']),
    ...within('tax', tax),
  ]
}

function differs(before: ContractRow, after: ContractRow, field: string): boolean {
  return before[field as keyof ContractRow] !== after[field as keyof ContractRow]
}
