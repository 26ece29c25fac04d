import { canonicalJson } from '#core/json.ts'
import { type Context, defineOperation } from '#core/operation.ts'
import {
  amountPrecision,
  dateOutOfRange,
  invalidState,
  sensitiveDataRequired,
  validationFailed,
} from '#core/problems.ts'
import { Closed } from '#core/schema/schema.ts'
import { businessDate, formatMoney, parseMoney } from '#core/values.ts'
import type { Transaction } from '#db/database.ts'
import {
  type ContractRow,
  contract,
  invalidTerms,
  problemOf,
  type Refusal,
  termsVersions,
} from '#resources/contracts/index.ts'
import { amendmentsIn, lockAmendment } from './amendment.store.ts'
import { AmendmentPath, type AmendmentRow, amendment, inStatus, type Proposal, requireStatus } from './amendment.ts'
import { amendmentCreated, amendmentEntry, amendmentUpdated } from './events.ts'
import { dated } from './move-amendment.ts'
import { type Plan, type ProposedChange, planAmendment, type Stage, type TermsVersion, timelineOf } from './plan.ts'
import { effectiveDateNotCycleStart, effectiveDateTaken, nothingToChange, openAmendmentExists } from './problems.ts'

type Now = Pick<Context, 'tx' | 'now'>

/** Problems of what is proposed, the gravest first. */
const refused_proposals = [
  validationFailed,
  effectiveDateTaken,
  invalidTerms,
  amountPrecision,
  dateOutOfRange,
  effectiveDateNotCycleStart,
  nothingToChange,
]
const proposal_problems = [invalidState, sensitiveDataRequired, ...refused_proposals]

export const createAmendment = defineOperation({
  id: 'amendments.create',
  summary: 'Draft an amendment of a contract',
  description: 'It takes effect when both parties have signed and its date has come.',
  method: 'POST',
  path: '/contracts/:contract_id/amendments',
  scopes: ['contracts:write'],
  roles: ['owner', 'admin'],
  input: Closed({ ...contract.path, ...amendment.create }),
  output: amendment.answer,
  status: 201,
  problems: [openAmendmentExists, ...proposal_problems],
  emits: [amendmentCreated],
  tool: {
    name: 'create_contract_amendment',
    text: 'Draft new terms for an active contract. They take effect when the company (sign_contract_amendment) and then the worker have signed. Give only the terms that change. frequency, cycle_end_type and cycle_end change on the first day of a payment cycle.',
    example: {
      contract_id: '019cadc6-9a80-70df-929e-750f1228d11d',
      effective_date: '2027-02-01',
      reason: 'Yearly raise',
      terms: { amount: '4500.00' },
    },
  },

  async handle({ contract_id, effective_date = null, reason = null, terms }, context) {
    const { caller, tx, newId, emit } = context
    const { organization_id } = caller
    const locked = await contract.lock(tx, { organization_id, id: contract_id })
    const proposal = await propose(locked, { terms: exactTerms(terms, locked), effective_date }, context)
    const draft = amendment.newRow(tx, {
      ...proposal,
      ...inStatus('initial'),
      organization_id,
      id: newId(),
      contract_id,
      contract_name: locked.title,
      contract_type: locked.type,
      currency: locked.currency,
      reason,
      created_by: caller.actor,
    })
    await amendment.insert(tx, draft)
    emit(amendmentCreated, amendmentEntry(draft, locked))
    return amendment.show(draft)
  },
})

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
  problems: proposal_problems,
  emits: [amendmentUpdated],
  tool: {
    name: 'update_contract_amendment',
    text: 'Change the draft of an amendment before the company signs. terms replace those of the draft as a whole.',
    told: { terms: 'Fields as for create_contract_amendment.' },
  },

  async handle({ contract_id, amendment_id, ...change }, context) {
    const { caller, tx, emit, audit, unchanged, writes_withheld } = context
    const { locked, before } = await lockAmendment(tx, caller, { contract_id, amendment_id })
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
    const proposal = proposes && (await propose(locked, next, context))
    const draft = {
      ...before,
      ...proposal,
      terms_version: before.terms_version + Number(proposes),
      reason: next.reason,
    }
    const saved = await amendment.save(tx, before, draft)
    emit(amendmentUpdated, amendmentEntry(saved, locked))
    audit({ changed_fields })
    return amendment.show(saved)
  },
})

/** Judges a change by the facts of today; the contract is locked. */
export async function planFor(of: ContractRow, change: ProposedChange, stage: Stage, { tx, now }: Now) {
  const standing = { ...(await agreedOf(of, tx)), today: businessDate(now, of.timezone) }
  return planAmendment(standing, change, stage)
}

/** The terms of a contract from their first day on, with those that are signed for a later one. */
export async function agreedTerms(of: ContractRow, tx: Transaction): Promise<TermsVersion[]> {
  return timelineOf(await agreedOf(of, tx))
}

async function agreedOf(of: ContractRow, tx: Transaction) {
  const [versions, approved] = await Promise.all([
    termsVersions(tx, of.organization_id, of.id),
    amendmentsIn(tx, of.organization_id, of.id, ['approved']),
  ])
  return { ...of, versions, approved: approved.map(dated) }
}

/** A draft as it is stored, or the problem with it. Its date stays open where the client left it open. */
async function propose(
  of: ContractRow,
  { terms, effective_date }: Pick<Proposal, 'terms' | 'effective_date'>,
  context: Now & Pick<Context, 'caller'>,
): Promise<Proposal> {
  if (of.status !== 'active') throw invalidState(`The contract is ${of.status}; only an active one is amended.`)
  const plan = await planFor(of, { terms, effective_date }, 'draft', context)
  if (terms.amount !== undefined && !context.caller.sensitive_data.has('compensation')) refuseBlindRaise(plan)
  if (Array.isArray(plan)) throw problemOf(plan, refused_proposals)
  const { amount, scale } = plan.terms
  return { effective_date, terms, changes: plan.changes, amount, scale }
}

/** Only a caller that may see the amount in force learns whether an amount alone changes anything. */
function refuseBlindRaise(plan: Plan | Refusal[]): void {
  const depends = Array.isArray(plan)
    ? plan.some(({ code }) => code === 'nothing_to_change')
    : plan.changes.every(({ field }) => field === 'amount')
  if (!depends) return
  const message = 'is the only term that changes, if it does: only a credential with the category compensation can say'
  throw sensitiveDataRequired('Whether the amount changes is told with the category compensation.', {
    errors: [{ pointer: '/terms/amount', message }],
  })
}

/** The terms as they are stored: an amount with exactly the decimals of its currency. One that is none is refused later. */
function exactTerms(terms: AmendmentRow['terms'], { currency }: Pick<ContractRow, 'currency'>): AmendmentRow['terms'] {
  const money = typeof terms.amount === 'string' ? parseMoney(terms.amount, currency) : undefined
  return money && 'minor' in money ? { ...terms, amount: formatMoney(money.minor, currency) } : terms
}
