import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Failed } from '../../components/list.tsx'
import { Status } from '../../components/status.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { wordsOf } from '../../lib/format.ts'
import type { MemberInvitation } from '../../lib/nouns.ts'
import { stint } from '../../lib/service.ts'
import { firstPage, useAnswer } from '../../lib/use-answer.ts'
import { useMe } from '../me.tsx'
import { ResendDialog } from './invite-dialog.tsx'
import { roleOf, rolesToGive } from './roles.ts'

const isOver = ({ expires_at }: MemberInvitation) => Date.parse(expires_at) <= Date.now()

/** Invitations that nobody has followed yet; where there are none nothing is said of them. */
export function Invitations() {
  const { can, membership } = useMe()
  const { value, error, reload } = useAnswer(firstPage(stint.member_invitations.list), { limit: 100 })
  const [open, setOpen] = useState<{ what: 'resend' | 'revoke'; invitation: MemberInvitation } | null>(null)
  if (error) return <Failed error={error} reload={reload} />
  if (!value || (value.data.length === 0 && !open)) return null
  const mayGive = rolesToGive(membership.role)
  const actions: Column<MemberInvitation> = {
    ...{ head: 'Actions', look: 'actions' },
    cell: (invitation) =>
      can('organizations:write') ? (
        <>
          {mayGive.includes(roleOf(invitation.role)) ? (
            <Button look="secondary" size="small" onClick={() => setOpen({ what: 'resend', invitation })}>
              New link<span className="only-read"> for {invitation.email}</span>
            </Button>
          ) : null}
          <Button look="secondary" size="small" onClick={() => setOpen({ what: 'revoke', invitation })}>
            Take back<span className="only-read"> the invitation of {invitation.email}</span>
          </Button>
        </>
      ) : null,
  }
  return (
    <section className="section">
      <h2>Open invitations</h2>
      <Table label="Open invitations" rows={value.data} isPale={isOver} columns={[...columns, actions]} />
      {open?.what === 'revoke' ? (
        <ConfirmDialog
          title="Take this invitation back?"
          action="Take back"
          onClose={() => setOpen(null)}
          onConfirm={async () => {
            await stint.member_invitations.revoke({ member_invitation_id: open.invitation.id })
          }}
        >
          <p>
            The link that <bdi>{open.invitation.email}</bdi> was given opens nothing any more.
          </p>
        </ConfirmDialog>
      ) : null}
      {open?.what === 'resend' ? <ResendDialog invitation={open.invitation} onClose={() => setOpen(null)} /> : null}
    </section>
  )
}

const columns: readonly Column<MemberInvitation>[] = [
  {
    ...{ head: 'E-mail', look: 'main' },
    cell: ({ email, invited_by }) => (
      <>
        <strong>
          <bdi>{email}</bdi>
        </strong>
        <span className="under">
          invited by <bdi>{invited_by.name}</bdi>
        </span>
      </>
    ),
  },
  { head: 'Role', cell: ({ role }) => wordsOf(role) },
  { head: 'Status', cell: (invitation) => <Status value={isOver(invitation) ? 'expired' : 'invited'} /> },
  { head: 'Link ends', cell: ({ expires_at }) => <Time at={expires_at} /> },
]
