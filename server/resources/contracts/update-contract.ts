import { type Context, defineOperation } from '#core/operation.ts'
import {
  amountPrecision,
  dateOutOfRange,
  externalIdInUse,
  missingValue,
  referenceNotFound,
} from '#core/problems/problems.ts'
import type { Static } from '#core/schema/schema.ts'
import { trimDecimal } from '#core/values/money.ts'
import { holdTeam } from '#resources/teams/index.ts'
import { changeContract } from './change-contract.ts'
import { lockContract } from './contract.store.ts'
import type { ContractRow } from './contract.ts'
import { Contract, ContractChangeInput, contractOf } from './contract-schema.ts'
import { contractEntry, contractUpdated } from './events.ts'
import { clearSignatures, isSigned, startDateRefusals, today, withLastDay } from './lifecycle.ts'
import { invalidTerms, termsLocked, termsProblem } from './problems.ts'
import { reviseTerms, type TermsInput } from './terms.ts'
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

  async handle({ contract_id, ...change }, { caller, tx, now, emit, audit }) {
    const before = await lockContract(tx, caller.organization_id, contract_id)
    const terms = termsIn(change)
    const changesTerms = Object.keys(terms).length > 0
    const revised = changesTerms ? withTerms(before, terms, now) : before
    const after = { ...withHead(revised, change), ...(await teamOf(before, change, tx)) }
    const { row } = await changeContract(tx, before, after)
    const changed_fields = namesOf(change)
    const signatures_cleared = changesTerms && isSigned(before)
    emit(contractUpdated, { ...contractEntry(row), changed_fields, signatures_cleared })
    audit({ changed_fields })
    return contractOf(row)
  },
})

/** The row under new terms, which nobody has signed. */
function withTerms(row: ContractRow, change: Partial<TermsInput>, now: string): ContractRow {
  if (row.status !== 'pending') {
    const message = 'is a term of the contract'
    const errors = Object.keys(change).map((field) => ({ pointer: termsPointer(field), message }))
    throw termsLocked(`The contract is ${row.status}.`, { errors })
  }
  const terms = reviseTerms(row.type, row.currency, row, change)
  if (Array.isArray(terms)) throw termsProblem(terms)
  const refusals = change.start_date ? startDateRefusals(change.start_date, today(now, row.timezone)) : []
  if (refusals.length > 0) throw termsProblem(refusals)
  return clearSignatures(withLastDay({ ...row, ...terms }))
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

/** The fields a request names, those inside an object with its name before them: `compensation.amount`. */
function namesOf(change: Change): string[] {
  return Object.entries(change).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null ? Object.keys(value).map((inner) => `${name}.${inner}`) : [name],
  )
}
