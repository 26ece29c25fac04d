import type { Contract } from '#sdk/index.ts'

export type StepName =
  | 'edit'
  | 'sign'
  | 'invite'
  | 'revoke_invitation'
  | 'amend'
  | 'terminate'
  | 'cancel_termination'
  | 'cancel'
  | 'archive'
  | 'unarchive'

export interface Step {
  name: StepName
  words: string
  /** Why it cannot be taken now; null where it can. */
  why: string | null
}

export const isOver = ({ status }: Pick<Contract, 'status'>) => status !== 'pending' && status !== 'active'

const over = 'The contract is over.'

/** Every step in the life of a contract, with the reason where it is not possible as the contract stands. */
export function stepsOf(contract: Contract, hasOpenAmendment: boolean): Step[] {
  const { status, signatures, invitation, termination, is_archived } = contract
  const isPending = status === 'pending'
  const isActive = status === 'active'
  const either = (ofPending: string | null, ofActive: string | null) =>
    isPending ? ofPending : isActive ? ofActive : over
  const steps: (Step | false)[] = [
    { name: 'edit', words: isPending ? 'Edit' : 'Edit title, team and tax', why: null },
    {
      ...{ name: 'sign', words: 'Sign for the company' },
      why: either(signatures.client_signed_at ? 'The company has signed.' : null, 'Both have signed.'),
    },
    {
      ...{ name: 'invite', words: invitation ? 'Make a new invitation' : 'Invite the worker' },
      why: either(signatures.worker_signed_at ? 'The worker has signed.' : null, 'The worker has signed.'),
    },
    invitation !== null && { name: 'revoke_invitation', words: 'Take back the invitation', why: null },
    {
      ...{ name: 'amend', words: 'Amend the terms' },
      why: either(
        'Until both have signed, the contract is edited directly.',
        hasOpenAmendment ? 'An amendment is open: sign or withdraw it first.' : null,
      ),
    },
    termination && isActive
      ? { name: 'cancel_termination', words: 'Withdraw the termination', why: null }
      : {
          ...{ name: 'terminate', words: 'Terminate' },
          why: either('It binds nobody yet: cancel it instead.', null),
        },
    {
      ...{ name: 'cancel', words: 'Cancel the contract' },
      why: either(null, 'Both have signed: terminate it instead.'),
    },
    is_archived
      ? { name: 'unarchive', words: 'Take out of the archive', why: null }
      : {
          name: 'archive',
          words: 'Archive',
          why: isOver(contract) ? null : 'Only a contract that is over is archived.',
        },
  ]
  return steps.filter((step) => step !== false)
}
