import { defineOperation } from '#core/operation.ts'
import { canonicalJson } from '#core/values/json.ts'
import { formatMoney, parseMoney } from '#core/values/money.ts'
import type { ContractRow, TermsChange } from '#resources/contracts/index.ts'
import { saveAmendment } from './amendment.store.ts'
import { requireStatus, revised } from './amendment.ts'
import { Amendment, AmendmentChangeInput, amendmentOf } from './amendment-schema.ts'
import { amendmentEntry, amendmentUpdated } from './events.ts'
import { lockAmendment } from './lock-amendment.ts'
import { proposalProblems, propose } from './propose.ts'

export const updateAmendment = defineOperation({
  id: 'amendments.update',
  summary: 'Change the draft of an amendment',
  description: 'Only before the client has signed. `terms` are replaced as a whole.',
  method: 'PATCH',
  path: '/contracts/:contract_id/amendments/:amendment_id',
  scopes: ['contracts:write'],
  roles: ['owner', 'admin'],
  input: AmendmentChangeInput,
  output: Amendment,
  problems: [...proposalProblems],
  emits: [amendmentUpdated],
  tool: {
    name: 'update_contract_amendment',
    text: 'Change the draft of an amendment before the company signs. terms replace those of the draft as a whole.',
    told: { terms: 'Fields as for create_contract_amendment.' },
  },

  async handle({ contract_id, amendment_id, ...change }, context) {
    const { caller, tx, emit, audit, unchanged, writes_withheld } = context
    const { organization_id } = caller
    const { contract, amendment } = await lockAmendment(tx, { organization_id, contract_id, amendment_id })
    requireStatus(amendment, 'initial')
    const named = { ...change, ...(change.terms && { terms: exactTerms(change.terms, contract) }) }
    const next = { ...amendment, ...named }
    const fields = ['terms', 'effective_date', 'reason'] as const
    const changed_fields = fields.filter(
      (field) =>
        canonicalJson(next[field]) !== canonicalJson(amendment[field]) || (field === 'terms' && writes_withheld),
    )
    if (changed_fields.length === 0) {
      unchanged()
      return amendmentOf(amendment, contract)
    }
    const proposes = changed_fields.some((field) => field !== 'reason')
    const draft = proposes ? revised(amendment, await propose(contract, next, context)) : amendment
    const saved = await saveAmendment(tx, { ...draft, reason: next.reason })
    emit(amendmentUpdated, amendmentEntry(saved, contract))
    audit({ changed_fields })
    return amendmentOf(saved, contract)
  },
})

/** The terms as they are stored: an amount with exactly the decimals of its currency. One that is none is refused later. */
function exactTerms(terms: TermsChange, { currency }: Pick<ContractRow, 'currency'>): TermsChange {
  const money = typeof terms.amount === 'string' ? parseMoney(terms.amount, currency) : undefined
  return money && 'minor' in money ? { ...terms, amount: formatMoney(money.minor, currency) } : terms
}
