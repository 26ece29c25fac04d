import { isDeepStrictEqual } from 'node:util'
import { type Context, defineOperation } from '#core/operation.ts'
import { amountPrecision, dateOutOfRange, referenceNotFound } from '#core/problems.ts'
import { writesWithheld } from '#core/schema/labels.ts'
import { Closed } from '#core/schema/schema.ts'
import { checkCustomFields } from '#resources/custom-fields/index.ts'
import { team } from '#resources/teams/index.ts'
import { changeContract } from './change-contract.ts'
import { type ContractRow, contract } from './contract.ts'
import { contractUpdated } from './events.ts'
import { clearSignatures, withLastDay } from './lifecycle.ts'
import { invalidTerms, problemOf, termsLocked } from './problems.ts'
import { contractPointer, requireStartDate, reviseTerms, type TermsInput, termsIn, termsOf } from './terms.ts'

const ContractChange = Closed({ ...contract.path, ...contract.change })

export const updateContract = defineOperation({
  id: 'contracts.update',
  summary: 'Change a contract',
  description:
    'Title, team, region, tax, custom_fields and external_id change at any time. Terms change only while the contract is pending, and a change of terms clears the signatures already given; afterwards an amendment changes them.',
  method: 'PATCH',
  path: '/contracts/:contract_id',
  scopes: ['contracts:write'],
  roles: ['owner', 'admin'],
  input: ContractChange,
  output: contract.answer,
  problems: [
    termsLocked,
    invalidTerms,
    amountPrecision,
    dateOutOfRange,
    referenceNotFound,
    ...contract.duplicates.update,
  ],
  emits: [contractUpdated],
  tool: {
    name: 'update_contract',
    text: 'Change a contract. title, team, region, tax and external_id change at any time; everything else are terms, which change while it is pending and then clear the signatures given. Terms of an active contract: create_contract_amendment.',
    told: {
      compensation: 'Fields as for create_contract, all optional, without currency.',
      tax: 'Fields as for create_contract.',
    },
  },

  async handle({ contract_id: id, ...change }, context) {
    const { caller, tx, emit, audit, unchanged } = context
    const before = await contract.lock(tx, { organization_id: caller.organization_id, id })
    const changed = contract.changed(change)
    const revised = withTerms(before, changed, context)
    const { team_id } = changed
    const held = team_id
      ? await team.hold(tx, { organization_id: before.organization_id, id: team_id }, '/team_id')
      : null
    const named = team_id !== undefined && { team_name: held?.name ?? null }
    const { custom_fields } = change
    const custom =
      custom_fields &&
      (await checkCustomFields(tx, caller.organization_id, 'contract', custom_fields, undefined, before.custom_fields))
    const after = { ...revised, ...changed, ...termsOf(revised), ...named, ...custom }
    const is_blind = writesWithheld(after.shown_custom_fields, custom_fields, caller.sensitive_data)
    if (contract.changes(before, after).length === 0 && !is_blind) {
      unchanged()
      return contract.show(before)
    }
    const row = await changeContract({ ...context, actor: caller.actor }, before, after)
    const differing = [...contract.changes(before, after), ...(is_blind ? ['custom_fields'] : [])]
    const changed_fields = changedFields(before, after, change, differing)
    const was_signed = before.client_signed_at !== null || before.worker_signed_at !== null
    const signatures_cleared = was_signed && before.terms_version !== after.terms_version
    emit(contractUpdated, { ...contract.entryOf(row), changed_fields, signatures_cleared })
    audit({ changed_fields })
    return contract.show(row)
  },
})

/** The row under new terms, which nobody has signed; under terms that equal its own it stays as it is. */
function withTerms(
  row: ContractRow,
  change: Partial<TermsInput>,
  { now, writes_withheld }: Pick<Context, 'now' | 'writes_withheld'>,
): ContractRow {
  const changed = termsIn(change)
  if (changed.length === 0) return row
  const terms = reviseTerms(row, row, change)
  if (!Array.isArray(terms) && !writes_withheld && isDeepStrictEqual(terms, termsOf(row))) return row
  if (row.status !== 'pending') {
    const message = 'is a term of the contract'
    const errors = changed.map((field) => ({ pointer: contractPointer(field), message }))
    const way = row.status === 'active' ? ' Propose an amendment: POST /contracts/{contract_id}/amendments.' : ''
    throw termsLocked(`The contract is ${row.status}; its terms no longer change directly.${way}`, { errors })
  }
  if (Array.isArray(terms)) throw problemOf(terms)
  if (terms.start_date !== row.start_date) requireStartDate(terms.start_date, now, row.timezone)
  return clearSignatures(withLastDay({ ...row, ...terms, terms_version: row.terms_version + 1 }))
}

/**
 * The fields of a request that changed, those inside an object with its name before them: `compensation.amount`. The
 * amount is one whenever it is named beside a change of terms, so that the list tells nothing of it.
 */
function changedFields(before: ContractRow, after: ContractRow, change: object, differing: string[]): string[] {
  const told = before.terms_version === after.terms_version ? [] : ['compensation.amount']
  return Object.entries(change).flatMap(([name, value]) => {
    const fields =
      name === 'compensation' || name === 'tax' ? Object.keys(value).map((field) => `${name}.${field}`) : [name]
    return fields.filter((field) => differing.includes(field.slice(field.indexOf('.') + 1)) || told.includes(field))
  })
}
