import { invalidState } from '#core/problems.ts'
import type { ReactionContext } from '#core/reaction.ts'
import { Text, Type } from '#core/schema/schema.ts'
import { businessDate } from '#core/values.ts'
import {
  type ContractRow,
  errorsOf,
  requireNotOver,
  requireTermsVersion,
  SignedVersion,
  SignerName,
  termsChanged,
} from '#resources/contracts/index.ts'
import { amendmentsIn } from './amendment.store.ts'
import { type AmendmentRow, moved, proposalDigest, requireStatus } from './amendment.ts'
import { planFor } from './draft-amendment.ts'
import { amendmentSigned, amendmentStatusUpdated, contractAmended } from './events.ts'
import { dated, defineMove, effectiveAt, keepTimer, moveAmendment, takeEffect } from './move-amendment.ts'
import { effectiveDateTaken } from './problems.ts'

export const signAmendment = defineMove({
  id: 'amendments.sign',
  summary: 'Sign an amendment for the client',
  description: 'From then on the worker can read it and sign or decline it.',
  path: '/contracts/:contract_id/amendments/:amendment_id/sign',
  input: { signer_name: SignerName, terms_version: Type.Optional(SignedVersion) },
  problems: [invalidState, termsChanged],
  emits: [amendmentSigned, amendmentStatusUpdated],
  tool: {
    name: 'sign_contract_amendment',
    needs_confirm: true,
    text: 'Sign the draft of an amendment for the company, in the name of a person who read it and agreed. Then the worker is asked.',
  },

  async move(context, of, before, { signer_name: client_name, terms_version }) {
    const { now, actor: client_signed_by } = context
    requireNotOver(of, now)
    const client_terms_digest = proposalDigest(before)
    const noted = { client_name, client_signed_at: now, client_signed_by, client_terms_digest }
    const signed = moved(before, 'pending', noted)
    requireTermsVersion(before, terms_version)
    return await moveAmendment(context, of, before, signed)
  },
})

const second_signature = {
  problems: [invalidState, effectiveDateTaken, termsChanged],
  emits: [amendmentSigned, amendmentStatusUpdated, contractAmended],
  move: signForWorker,
}

export const workerSignAmendment = defineMove({
  ...second_signature,
  id: 'worker.sign_amendment',
  summary: 'Sign an amendment as the worker',
  description: 'The second signature: the amendment takes effect on its date, or at once if that has come.',
  path: '/worker/contracts/:contract_id/amendments/:amendment_id/sign',
  audience: 'worker',
  input: { signer_name: SignerName, terms_version: SignedVersion },
  tool: {
    name: 'sign_my_amendment',
    needs_confirm: true,
    text: 'Sign a pending amendment as the worker, in the worker’s name, after the worker read it and agreed. It takes effect on its date, or at once.',
  },
})

export const sandboxSignAmendment = defineMove({
  ...second_signature,
  id: 'sandbox.sign_amendment',
  summary: 'Sign an amendment in the place of the worker',
  description: 'In sandbox organizations only: for trying out what the second signature brings about.',
  path: '/sandbox/contracts/:contract_id/amendments/:amendment_id/worker-signature',
  audience: 'sandbox',
  input: {
    signer_name: Type.Optional(Text(2, 200, { description: 'Default: the name of the worker.' })),
    terms_version: Type.Optional(SignedVersion),
  },
})

/** The second signature (domain rules 3.2): the amendment is approved for its date, or takes effect at once. */
async function signForWorker(
  context: ReactionContext,
  locked: ContractRow,
  before: AmendmentRow,
  { signer_name: worker_name = locked.worker_name, terms_version }: { signer_name?: string; terms_version?: number },
): Promise<AmendmentRow> {
  const { now } = context
  requireStatus(before, 'pending')
  const of = await takeUpOverdue(context, locked)
  const plan = await planFor(of, before, 'signature', context)
  if (Array.isArray(plan)) {
    const errors = errorsOf(plan)
    if (plan[0]?.code === 'effective_date_taken') throw effectiveDateTaken(undefined, { errors })
    throw invalidState('The amendment no longer fits the contract; the client can withdraw it.', { errors })
  }
  requireTermsVersion(before, terms_version)
  const { effective_date, changes, terms } = plan
  const { amount, scale } = terms
  const noted = { worker_name, worker_signed_at: now, worker_terms_digest: proposalDigest(before) }
  const signed = dated(moved(before, 'approved', { effective_date, changes, amount, scale, ...noted }))
  if (effective_date <= businessDate(now, of.timezone)) {
    return (await takeEffect(context, of, signed, before)).amendment
  }
  return await moveAmendment(context, of, before, signed)
}

/**
 * Approved amendments whose day has come go first where the timers are late, so that the order of effects, and with it
 * which amendment is the active one, does not depend on when it runs.
 */
async function takeUpOverdue(context: ReactionContext, locked: ContractRow): Promise<ContractRow> {
  const { tx, now } = context
  let current = locked
  const today = businessDate(now, locked.timezone)
  const approved = (await amendmentsIn(tx, locked.organization_id, locked.id, ['approved'])).map(dated)
  for (const row of approved.filter(({ effective_date }) => effective_date <= today)) {
    const effect = await takeEffect({ ...context, now: effectiveAt(row, current) }, current, row)
    await keepTimer(tx, current, row, effect.amendment)
    current = effect.contract
  }
  return current
}
