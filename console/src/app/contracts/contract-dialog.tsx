import type { Contract } from '#sdk/index.ts'
import { Day } from '../../components/date.tsx'
import { TextField } from '../../components/text-field.tsx'
import { faultAt } from '../../lib/faults.ts'
import { stint } from '../../lib/service.ts'
import { type Keyed, textOf } from '../../lib/use-submit.ts'
import { InviteDialog, LinkDialog } from './invite-dialog.tsx'
import { SignDialog } from './sign-dialog.tsx'
import { StepDialog } from './step-dialog.tsx'
import { TerminateDialog } from './terminate-dialog.tsx'
import { TermsFacts } from './terms-facts.tsx'

export type DialogName =
  | 'sign'
  | 'invite'
  | 'link'
  | 'revoke_invitation'
  | 'cancel'
  | 'terminate'
  | 'cancel_termination'

interface ContractDialogProps {
  name: DialogName
  /** As it was when the dialog was opened: what is signed is what is read here. */
  contract: Contract
  onChange(contract: Contract): void
  onClose(): void
}

/** The question before a step of a contract. */
export function ContractDialog({ name, ...props }: ContractDialogProps) {
  const Dialog = dialogs[name]
  return <Dialog {...props} />
}

type Props = Omit<ContractDialogProps, 'name'>

const dialogs = {
  sign: Sign,
  invite: InviteDialog,
  link: LinkDialog,
  revoke_invitation: RevokeInvitation,
  cancel: Cancel,
  terminate: TerminateDialog,
  cancel_termination: CancelTermination,
}

function Sign({ contract, onChange, onClose }: Props) {
  const { id: contract_id, title, terms_version, signatures, worker_name } = contract
  return (
    <SignDialog
      title={`Sign ${title}`}
      consequence={
        signatures.worker_signed_at
          ? 'With this signature the contract is active.'
          : `It is active once ${worker_name} has signed too.`
      }
      sign={async (signer_name, keyed) => {
        onChange(await stint.contracts.sign({ contract_id, signer_name, terms_version }, keyed))
        onClose()
      }}
      onClose={onClose}
    >
      <p>
        With <bdi>{worker_name}</bdi>, version {terms_version} of the terms:
      </p>
      <TermsFacts contract={contract} />
    </SignDialog>
  )
}

/** Takes a step by the service, shows what became of the contract, and closes the dialog. */
const taking =
  ({ onChange, onClose }: Props, step: (form: FormData, keyed: Keyed) => Promise<Contract>) =>
  async (form: FormData, keyed: Keyed) => {
    onChange(await step(form, keyed))
    onClose()
  }

function RevokeInvitation(props: Props) {
  const { id: contract_id, invitation } = props.contract
  return (
    <StepDialog
      title="Take back the invitation?"
      action="Take it back"
      look="danger"
      take={taking(props, (_, keyed) => stint.contracts.revoke_invitation({ contract_id }, keyed))}
      onClose={props.onClose}
    >
      <p>
        The link that <bdi>{invitation?.email}</bdi> has got opens nothing any more. You can invite again.
      </p>
    </StepDialog>
  )
}

function Cancel(props: Props) {
  const { id: contract_id, title, worker_name } = props.contract
  return (
    <StepDialog
      title={`Cancel ${title}?`}
      action="Cancel the contract"
      look="danger"
      pointers={['/reason']}
      take={taking(props, (form, keyed) =>
        stint.contracts.cancel({ contract_id, reason: textOf(form, 'reason').trim() || null }, keyed),
      )}
      onClose={props.onClose}
    >
      {(error) => (
        <>
          <p>
            The contract with <bdi>{worker_name}</bdi> is withdrawn for good. Signatures and invitation lapse.
          </p>
          <TextField
            label="Reason (optional)"
            name="reason"
            maxLength={500}
            hint="The worker can read it."
            fault={faultAt(error, '/reason')}
          />
        </>
      )}
    </StepDialog>
  )
}

function CancelTermination(props: Props) {
  const { id: contract_id, termination, end_date } = props.contract
  return (
    <StepDialog
      title="Withdraw the termination?"
      action="Withdraw it"
      take={taking(props, (_, keyed) => stint.contracts.cancel_termination({ contract_id }, keyed))}
      onClose={props.onClose}
    >
      <p>
        The contract does not end on <Day value={termination?.completion_date ?? null} />; it goes on{' '}
        {end_date ? (
          <>
            until <Day value={end_date} />
          </>
        ) : (
          'without an end'
        )}
        .
      </p>
    </StepDialog>
  )
}
