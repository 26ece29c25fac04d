import { type Context, defineOperation } from '#core/operation.ts'
import { invalidState, sandboxOnly } from '#core/problems.ts'
import { Closed, Text, Type } from '#core/schema/schema.ts'
import { businessDate } from '#core/values.ts'
import {
  type ContractRow,
  ownLoginRequired,
  requireNotOver,
  requireOwnLogin,
  SignedVersion,
  SignerName,
  termsChanged,
} from '#resources/contracts/index.ts'
import { amendmentsIn, lockAmendment } from './amendment.store.ts'
import {
  AmendmentPath,
  type AmendmentRow,
  amendment,
  requireStatus,
  signedByClient,
  signedByWorker,
} from './amendment.ts'
import { standingOf } from './draft-amendment.ts'
import { amendmentEntry, amendmentSigned, amendmentStatusUpdated, contractAmended, movedEntry } from './events.ts'
import { type Plan, planAmendment } from './plan.ts'
import { effectiveDateTaken } from './problems.ts'
import {
  announceEffect,
  cancelEffectiveTimer,
  dated,
  effectiveAt,
  setEffectiveTimer,
  takeEffect,
} from './take-effect.ts'

const second_signature_events = [amendmentSigned, amendmentStatusUpdated, contractAmended] as const

export const signAmendment = defineOperation({
  id: 'amendments.sign',
  summary: 'Sign an amendment for the client',
  description: 'From then on the worker can read it and sign or decline it.',
  method: 'POST',
  path: '/contracts/:contract_id/amendments/:amendment_id/sign',
  scopes: ['contracts:write'],
  roles: ['owner', 'admin'],
  input: Closed({ ...AmendmentPath, signer_name: SignerName, terms_version: Type.Optional(SignedVersion) }),
  output: amendment.answer,
  problems: [invalidState, termsChanged],
  emits: [amendmentSigned, amendmentStatusUpdated],
  tool: {
    name: 'sign_contract_amendment',
    text: 'Sign the draft of an amendment for the company, in the name of a person who read it and agreed. Then the worker is asked.',
  },

  async handle({ signer_name: name, terms_version, ...path }, { caller, tx, now, emit }) {
    const { organization_id, actor } = caller
    const { locked, before } = await lockAmendment(tx, { organization_id, ...path })
    requireNotOver(locked, now)
    const row = await amendment.save(tx, before, signedByClient(before, { name, at: now, by: actor, terms_version }))
    emit(amendmentSigned, { ...amendmentEntry(row, locked), party: 'client', signed_at: now })
    emit(amendmentStatusUpdated, movedEntry(row, before, locked))
    return amendment.show(row)
  },
})

export const workerSignAmendment = defineOperation({
  id: 'worker.sign_amendment',
  summary: 'Sign an amendment as the worker',
  description: 'The second signature: the amendment takes effect on its date, or at once if that has come.',
  method: 'POST',
  path: '/worker/contracts/:contract_id/amendments/:amendment_id/sign',
  scopes: ['worker:write'],
  input: Closed({ ...AmendmentPath, signer_name: SignerName, terms_version: SignedVersion }),
  output: amendment.answer,
  subject: 'amendments',
  problems: [ownLoginRequired, invalidState, effectiveDateTaken, termsChanged],
  emits: second_signature_events,
  tool: {
    name: 'sign_my_amendment',
    text: 'Sign a pending amendment as the worker, in the worker’s name, after the worker read it and agreed. It takes effect on its date, or at once.',
  },

  handle(input, context) {
    const { organization_id, person_id: worker_id } = requireOwnLogin(context.caller)
    return signForWorker(input, { organization_id, worker_id }, context)
  },
})

export const sandboxSignAmendment = defineOperation({
  id: 'sandbox.sign_amendment',
  summary: 'Sign an amendment in the place of the worker',
  description: 'In sandbox organizations only: for trying out what the second signature brings about.',
  method: 'POST',
  path: '/sandbox/contracts/:contract_id/amendments/:amendment_id/worker-signature',
  acts_on: 'amendments.get',
  scopes: ['contracts:write'],
  roles: ['owner', 'admin'],
  input: Closed({
    ...AmendmentPath,
    signer_name: Type.Optional(Text(2, 200, { description: 'Default: the name of the worker.' })),
    terms_version: Type.Optional(SignedVersion),
  }),
  output: amendment.answer,
  subject: 'amendments',
  problems: [sandboxOnly, invalidState, effectiveDateTaken, termsChanged],
  emits: second_signature_events,

  async handle(input, context) {
    if (!context.caller.is_sandbox) throw sandboxOnly()
    return signForWorker(input, context.caller, context)
  },
})

interface Signature {
  contract_id: string
  amendment_id: string
  /** Default: the name of the worker. */
  signer_name?: string
  terms_version?: number
}

type Needs = Pick<Context<(typeof second_signature_events)[number]>, 'tx' | 'now' | 'emit'>

/** The second signature (domain rules 3.2): the amendment is approved for its date, or takes effect at once. */
async function signForWorker(
  { signer_name, terms_version, ...path }: Signature,
  { organization_id, worker_id }: { organization_id: string; worker_id?: string },
  context: Needs,
) {
  const { tx, now, emit } = context
  const { locked, before } = await lockAmendment(tx, { organization_id, worker_id, ...path })
  requireStatus(before, 'pending')
  const of = await takeUpOverdue(locked, context)
  const { effective_date, changes, terms } = await agree(of, before, context)
  const proposal = { effective_date, terms: before.terms, changes, amount: terms.amount, scale: terms.scale }
  const name = signer_name ?? locked.worker_name
  const signed = dated(signedByWorker(before, proposal, { name, at: now, terms_version }))
  const emitSigned = (row: AmendmentRow, contract: ContractRow) =>
    emit(amendmentSigned, { ...amendmentEntry(row, contract), party: 'worker', signed_at: now })
  if (effective_date > businessDate(now, of.timezone)) {
    const approved = await amendment.save(tx, before, signed)
    await setEffectiveTimer(tx, signed, of)
    emitSigned(approved, of)
    emit(amendmentStatusUpdated, movedEntry(approved, before, of))
    return amendment.show(approved)
  }
  const effect = await takeEffect(of, signed, context, before)
  emitSigned(effect.amendment, effect.contract)
  announceEffect(effect, before, emit)
  return amendment.show(effect.amendment)
}

/** The terms that the worker agrees to now; what no longer fits since it was drafted cannot be signed. */
async function agree(of: ContractRow, row: AmendmentRow, context: Needs): Promise<Plan> {
  const plan = planAmendment(await standingOf(of, context), row, 'signature')
  if (!Array.isArray(plan)) return plan
  const [first] = plan
  const errors = plan.map(({ pointer, message }) => ({ pointer, message }))
  if (first?.code === 'effective_date_taken') throw effectiveDateTaken(undefined, { errors })
  throw invalidState('The amendment no longer fits the contract; the client can withdraw it.', { errors })
}

/**
 * Approved amendments whose day has come go first where the timers are late, so that the order of effects, and with it
 * which amendment is the active one, does not depend on when it runs.
 */
async function takeUpOverdue(locked: ContractRow, { tx, now, emit }: Needs): Promise<ContractRow> {
  let current = locked
  const approved = await amendmentsIn(tx, locked.organization_id, locked.id, ['approved'])
  const business_date = businessDate(now, locked.timezone)
  for (const row of approved.map(dated).filter(({ effective_date }) => effective_date <= business_date)) {
    const effect = await takeEffect(current, row, { tx, now: effectiveAt(row, current) })
    await cancelEffectiveTimer(tx, row)
    announceEffect(effect, row, emit)
    current = effect.contract
  }
  return current
}
