import { useState } from 'react'
import { Banner } from '../../components/banner.tsx'
import { Button } from '../../components/button.tsx'
import { Radios } from '../../components/choice-list.tsx'
import { Code } from '../../components/code.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { TextField } from '../../components/text-field.tsx'
import { faultAt, isOfNoField } from '../../lib/faults.ts'
import { wordsOf } from '../../lib/format.ts'
import type { MemberInvitation } from '../../lib/nouns.ts'
import { stint } from '../../lib/service.ts'
import { textOf, useSubmit } from '../../lib/use-submit.ts'
import { useMe } from '../me.tsx'
import type { Role } from '../page-entry.ts'
import { roleHints, rolesToGive } from './roles.ts'

type Made = Pick<MemberInvitation, 'email' | 'expires_at'> & { url: string | null }

export function InviteDialog({ onClose }: { onClose(): void }) {
  const { membership } = useMe()
  const [key] = useState(() => crypto.randomUUID())
  const [role, setRole] = useState<Role>('viewer')
  const [made, setMade] = useState<Made | null>(null)
  const { submit, isBusy, error } = useSubmit(async (form) => {
    const input = { email: textOf(form, 'email'), role }
    setMade(await stint.member_invitations.create(input, { idempotency_key: key }))
  })
  if (made) return <LinkDialog made={made} onClose={onClose} />
  return (
    <FormDialog
      title="Invite a member"
      action="Make the invitation"
      submit={submit}
      isBusy={isBusy}
      error={isOfNoField(error, ['/email']) ? error : null}
      onClose={onClose}
    >
      <TextField
        label="E-mail"
        name="email"
        type="email"
        required
        maxLength={254}
        autoComplete="off"
        fault={faultAt(error, '/email')}
      />
      <Radios
        name="role"
        legend="Role"
        value={role}
        onChange={setRole}
        options={rolesToGive(membership.role).map((value) => ({
          value,
          words: wordsOf(value),
          hint: roleHints[value],
        }))}
      />
    </FormDialog>
  )
}

interface ResendDialogProps {
  invitation: MemberInvitation
  onClose(): void
}

export function ResendDialog({ invitation, onClose }: ResendDialogProps) {
  const [key] = useState(() => crypto.randomUUID())
  const [made, setMade] = useState<Made | null>(null)
  const { submit, isBusy, error } = useSubmit(async () => {
    const input = { member_invitation_id: invitation.id }
    setMade(await stint.member_invitations.resend(input, { idempotency_key: key }))
  })
  if (made) return <LinkDialog made={made} onClose={onClose} />
  return (
    <FormDialog
      title="Make a new link"
      action="Make a new link"
      submit={submit}
      isBusy={isBusy}
      error={error}
      onClose={onClose}
    >
      <p>
        For <bdi>{invitation.email}</bdi>, as {invitation.role}. The link before ends at once, and the new one lives
        seven days.
      </p>
    </FormDialog>
  )
}

/** The link is in this one answer; who loses it makes another. */
function LinkDialog({ made: { email, url }, onClose }: { made: Made; onClose(): void }) {
  return (
    <Dialog title="Hand over this link" look="wide" onClose={onClose}>
      <div className="stack">
        {url === null ? (
          <Banner tone="warning" title="The link was shown before. Make a new one in the list of invitations." />
        ) : (
          <>
            <p>
              Send it to <bdi>{email}</bdi> yourself: no mail goes out from here. It serves once, within seven days, and
              whoever opens it becomes the member.
            </p>
            <Code text={url} what="invitation link" wraps />
          </>
        )}
        <div className="actions">
          <Button onClick={onClose}>Done</Button>
        </div>
      </div>
    </Dialog>
  )
}
