import { canonicalJson } from '#core/json.ts'
import { defineOperation } from '#core/operation.ts'
import { Closed } from '#core/schema/schema.ts'
import { formatMoney, parseMoney } from '#core/values.ts'
import type { ContractRow } from '#resources/contracts/index.ts'
import { lockAmendment } from './amendment.store.ts'
import { AmendmentPath, type AmendmentRow, amendment, requireStatus, revised } from './amendment.ts'
import { amendmentEntry, amendmentUpdated } from './events.ts'
import { proposalProblems, propose } from './propose.ts'

export const updateAmendment = defineOperation({
  id: 'amendments.update',
  summary: 'Change the draft of an amendment',
  description: 'Only before the client has signed. `terms` are replaced as a whole.',
  method: 'PATCH',
  path: '/contracts/:contract_id/amendments/:amendment_id',
  scopes: ['contracts:write'],
  roles: ['owner', 'admin'],
  input: Closed({ ...AmendmentPath, ...amendment.change }),
  output: amendment.answer,
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
    const { locked, before } = await lockAmendment(tx, { organization_id, contract_id, amendment_id })
    requireStatus(before, 'initial')
    const named = { ...change, ...(change.terms && { terms: exactTerms(change.terms, locked) }) }
    const next = { ...before, ...named }
    const fields = ['terms', 'effective_date', 'reason'] as const
    const changed_fields = fields.filter(
      (field) => canonicalJson(next[field]) !== canonicalJson(before[field]) || (field === 'terms' && writes_withheld),
    )
    if (changed_fields.length === 0) {
      unchanged()
      return amendment.show(before)
    }
    const proposes = changed_fields.some((field) => field !== 'reason')
    const draft = proposes ? revised(before, await propose(locked, next, context)) : before
    const saved = await amendment.save(tx, before, { ...draft, reason: next.reason })
    emit(amendmentUpdated, amendmentEntry(saved, locked))
    audit({ changed_fields })
    return amendment.show(saved)
  },
})

/** The terms as they are stored: an amount with exactly the decimals of its currency. One that is none is refused later. */
function exactTerms(terms: AmendmentRow['terms'], { currency }: Pick<ContractRow, 'currency'>): AmendmentRow['terms'] {
  const money = typeof terms.amount === 'string' ? parseMoney(terms.amount, currency) : undefined
  return money && 'minor' in money ? { ...terms, amount: formatMoney(money.minor, currency) } : terms
}
