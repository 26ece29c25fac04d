import { useState } from 'react'
import type { Contract } from '#sdk/index.ts'
import { Banner } from '../../components/banner.tsx'
import { Button } from '../../components/button.tsx'
import { Code } from '../../components/code.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Failed } from '../../components/list.tsx'
import { Moment } from '../../components/moment.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { TextArea } from '../../components/text-area.tsx'
import { TextField } from '../../components/text-field.tsx'
import { faultAt } from '../../lib/faults.ts'
import { stint } from '../../lib/service.ts'
import { useAnswer } from '../../lib/use-answer.ts'
import { textOf } from '../../lib/use-submit.ts'
import { StepDialog } from './step-dialog.tsx'

interface InviteDialogProps {
  contract: Contract
  onChange(contract: Contract): void
  onClose(): void
}

/** Makes the invitation, then shows its link. */
export function InviteDialog({ contract, onChange, onClose }: InviteDialogProps) {
  const [isMade, setMade] = useState(false)
  const { id: contract_id, worker_name, worker_email, invitation } = contract
  if (isMade) return <LinkDialog contract={contract} onClose={onClose} />
  return (
    <StepDialog
      title={`Invite ${worker_name}`}
      action={invitation ? 'Make a new invitation' : 'Make the invitation'}
      pointers={['/email', '/message']}
      take={async (form, keyed) => {
        const email = textOf(form, 'email').trim() || undefined
        const message = textOf(form, 'message').trim() || null
        onChange(await stint.contracts.invite({ contract_id, email, message }, keyed))
        setMade(true)
      }}
      onClose={onClose}
    >
      {(error) => (
        <>
          {invitation ? (
            <Banner tone="warning" title="The link that was given out before ends.">
              <p>
                It went to <bdi>{invitation.email}</bdi>. Hand over the new one.
              </p>
            </Banner>
          ) : (
            <p>
              The invitation is a link by which <bdi>{worker_name}</bdi> reads the terms, makes an own login and signs.
              It lives 14 days.
            </p>
          )}
          <TextField
            label="E-mail"
            name="email"
            type="email"
            required
            defaultValue={invitation?.email ?? worker_email}
            fault={faultAt(error, '/email')}
          />
          <TextArea
            label="Your words to the worker (optional)"
            name="message"
            rows={3}
            maxLength={2_000}
            fault={faultAt(error, '/message')}
          />
        </>
      )}
    </StepDialog>
  )
}

/** The link of the open invitation, for handing it over. */
export function LinkDialog({ contract, onClose }: { contract: Contract; onClose(): void }) {
  const { id: contract_id, worker_name } = contract
  const { value, error, reload } = useAnswer(stint.contracts.get_invitation_link, { contract_id })
  return (
    <Dialog title={`The link for ${worker_name}`} look="wide" onClose={onClose}>
      <div className="stack">
        <Banner tone="warning" title={`Give it to ${worker_name} and nobody else.`}>
          <p>Whoever opens it first can sign in the worker’s place.</p>
        </Banner>
        {value ? (
          <>
            <Code text={value.url} what="invitation link" wraps />
            <p className="hint">
              It ends <Moment at={value.expires_at} />, or when both have signed.
            </p>
          </>
        ) : error ? (
          <Failed error={error} reload={reload} />
        ) : (
          <Skeleton rows={1} />
        )}
        <div className="actions">
          <Button onClick={onClose}>Done</Button>
        </div>
      </div>
    </Dialog>
  )
}
