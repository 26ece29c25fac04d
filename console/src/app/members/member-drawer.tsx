import { useState } from 'react'
import { Banner } from '../../components/banner.tsx'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { ErrorBanner } from '../../components/error-banner.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { SelectField } from '../../components/select-field.tsx'
import { Status } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { wordsOf } from '../../lib/format.ts'
import type { Member } from '../../lib/nouns.ts'
import { stint } from '../../lib/service.ts'
import { useSubmit } from '../../lib/use-submit.ts'
import { AsCurl } from '../as-curl.tsx'
import { useMe } from '../me.tsx'
import { everybody, type Role } from '../page-entry.ts'
import { differenceOf, roleHints, roleOf, rolesToGive } from './roles.ts'

interface MemberDrawerProps {
  member: Member
  isLastOwner: boolean
  onClose(): void
}

type Asked = 'disable' | 'sessions' | 'factor' | 'remove'

/** One member: what it may do, and the ways to change that. Controls that would be refused are off and say why. */
export function MemberDrawer({ member, isLastOwner, onClose }: MemberDrawerProps) {
  const { id, name, email, role, team_role, status, has_second_factor, created_at, updated_at } = member
  const { can, membership } = useMe()
  const [asked, setAsked] = useState<Asked | null>(null)
  const reason = reasonOf(member, { isLastOwner, own: membership.role, mayChange: can('organizations:write') })
  return (
    <Dialog title={name} look="drawer" onClose={onClose}>
      <Facts>
        <Fact name="E-mail">
          <bdi>{email}</bdi>
        </Fact>
        <Fact name="Role">
          {team_role ? `${wordsOf(team_role)}, by a team; by hand ${role}, once it leaves the team` : wordsOf(role)}
        </Fact>
        <Fact name="Status">
          <Status value={status} />
        </Fact>
        <Fact name="Second factor">{has_second_factor ? 'Set up' : 'None'}</Fact>
        <Fact name="Member since">
          <Time at={created_at} />
        </Fact>
        <Fact name="Changed">
          <Time at={updated_at} />
        </Fact>
      </Facts>
      {reason ? (
        <div id="member-reason">
          <Banner tone="info" title={reason} />
        </div>
      ) : null}
      <RoleForm key={role} member={member} isOff={reason !== null} />
      <section className="danger-zone" aria-label="Access">
        {status === 'disabled' ? (
          <Enable member={member} isOff={reason !== null} />
        ) : (
          <div>
            <h3>Disable</h3>
            <p>Signs the person out and ends the personal tokens and apps. It can be enabled again later.</p>
            <Action isOff={reason !== null} onClick={() => setAsked('disable')} words="Disable" />
          </div>
        )}
        <div>
          <h3>Sign out</h3>
          <p>Ends every session, for instance after a laptop was lost. Tokens and apps go on.</p>
          <Action
            isOff={reason !== null && !isLastOwner}
            onClick={() => setAsked('sessions')}
            words="Sign out everywhere"
          />
        </div>
        {has_second_factor ? (
          <div>
            <h3>Reset second factor</h3>
            <p>For somebody who lost phone, passkeys and recovery codes. The password alone signs in then.</p>
            <Action
              isOff={(reason !== null && !isLastOwner) || status === 'disabled'}
              onClick={() => setAsked('factor')}
              words="Reset second factor"
            />
          </div>
        ) : null}
        <div>
          <h3>Remove</h3>
          <p>Ends all access here for good. What the person did stays in the audit log.</p>
          <Action
            isOff={reason !== null}
            onClick={() => setAsked('remove')}
            words="Remove from organization"
            isDanger
          />
        </div>
      </section>
      <div className="foot-actions">
        <AsCurl method="GET" path={`/members/${id}`} />
      </div>
      {asked ? <Confirm member={member} asked={asked} onClose={onClose} close={() => setAsked(null)} /> : null}
    </Dialog>
  )
}

/** Null: everything can be changed. */
function reasonOf(
  { role }: Member,
  { isLastOwner, own, mayChange }: { isLastOwner: boolean; own: Role; mayChange: boolean },
): string | null {
  if (!mayChange) return `Owners and admins change members; you are ${own}.`
  if (role === 'owner' && own !== 'owner') return 'Only an owner changes an owner.'
  return isLastOwner ? 'This is the only owner. Make somebody else owner first.' : null
}

interface ActionProps {
  words: string
  isOff: boolean
  isDanger?: boolean
  onClick(): void
}

function Action({ words, isOff, isDanger = false, onClick }: ActionProps) {
  return (
    <Button
      look={isDanger ? 'danger' : 'secondary'}
      disabled={isOff}
      aria-describedby={isOff ? 'member-reason' : undefined}
      onClick={onClick}
    >
      {words}
    </Button>
  )
}

interface PartProps {
  member: Member
  isOff: boolean
}

/** A role is chosen, its difference is read, then it is given. */
function RoleForm({ member: { id, role: word }, isOff }: PartProps) {
  const { membership } = useMe()
  const role = roleOf(word)
  const [chosen, setChosen] = useState<Role>(role)
  const [key] = useState(() => crypto.randomUUID())
  const { submit, isBusy, error } = useSubmit(async () => {
    await stint.members.update({ member_id: id, role: chosen }, { idempotency_key: key })
  })
  const mayGive = rolesToGive(membership.role)
  const { gains, losses } = differenceOf(role, chosen)
  const withheld = everybody.filter((one) => !mayGive.includes(one) && one !== role)
  return (
    <form className="stack" onSubmit={submit} aria-label="Another role">
      {error ? <ErrorBanner error={error} /> : null}
      <SelectField
        label="Role"
        value={chosen}
        disabled={isOff}
        aria-describedby={isOff ? 'member-reason' : undefined}
        hint={roleHints[chosen]}
        options={everybody
          .filter((one) => mayGive.includes(one) || one === role)
          .map((value) => ({ value, words: wordsOf(value) }))}
        onChange={(event) => setChosen(everybody.find((one) => one === event.currentTarget.value) ?? role)}
      />
      {!isOff && withheld.length > 0 ? (
        <p className="hint">You cannot give {withheld.join(' or ')}: that role has rights beyond yours.</p>
      ) : null}
      {chosen === role ? null : (
        <>
          <div className="review" role="status">
            <Lines title="Gains" lines={gains} />
            <Lines title="Loses" lines={losses} />
          </div>
          <div className="actions">
            <Button type="submit" isBusy={isBusy}>
              Change role to {chosen}
            </Button>
          </div>
        </>
      )}
    </form>
  )
}

function Lines({ title, lines }: { title: string; lines: readonly string[] }) {
  if (lines.length === 0) return null
  return (
    <>
      <h3>{title}</h3>
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </>
  )
}

function Enable({ member: { id, role }, isOff }: PartProps) {
  const { membership } = useMe()
  const [key] = useState(() => crypto.randomUUID())
  const { submit, isBusy, error } = useSubmit(async () => {
    await stint.members.update({ member_id: id, status: 'active' }, { idempotency_key: key })
  })
  const mayGive = rolesToGive(membership.role).includes(roleOf(role))
  return (
    <form onSubmit={submit}>
      <h3>Enable</h3>
      <p>
        {mayGive || isOff
          ? `The person can sign in again, as ${role}. Tokens and apps that ended do not come back.`
          : `You cannot enable a member with the role ${role}: it has rights beyond yours. Change the role first.`}
      </p>
      {error ? <ErrorBanner error={error} /> : null}
      <Button type="submit" look="secondary" isBusy={isBusy} disabled={isOff || !mayGive}>
        Enable
      </Button>
    </form>
  )
}

interface ConfirmProps {
  member: Member
  asked: Asked
  onClose(): void
  close(): void
}

function Confirm({ member: { id: member_id, name, email }, asked, onClose, close }: ConfirmProps) {
  if (asked === 'disable') {
    return (
      <ConfirmDialog
        title={`Disable ${name}?`}
        action="Disable member"
        onClose={close}
        onConfirm={async () => {
          await stint.members.update({ member_id, status: 'disabled' })
        }}
      >
        <p>
          The next call of every session, personal token and app of this person is refused. Tokens do not come back.
        </p>
      </ConfirmDialog>
    )
  }
  if (asked === 'sessions') {
    return (
      <ConfirmDialog
        title={`Sign ${name} out everywhere?`}
        action="Sign out"
        onClose={close}
        onConfirm={async () => void (await stint.members.end_sessions({ member_id }))}
      >
        <p>The person can sign in again at once.</p>
      </ConfirmDialog>
    )
  }
  if (asked === 'factor') {
    return (
      <ConfirmDialog
        title={`Reset the second factor of ${name}?`}
        action="Reset second factor"
        onClose={close}
        onConfirm={async () => void (await stint.members.reset_second_factor({ member_id }))}
      >
        <p>
          Make sure that it is {name} who asks: app, passkeys and recovery codes go, and every session ends. Whoever
          knows the password can sign in.
        </p>
      </ConfirmDialog>
    )
  }
  return (
    <ConfirmDialog
      title={`Remove ${name}?`}
      action="Remove member"
      typed={email}
      onClose={close}
      onConfirm={async () => {
        await stint.members.delete({ member_id })
        onClose()
      }}
    >
      <p>To come back the person has to be invited anew. Tokens and apps of the organization go on.</p>
    </ConfirmDialog>
  )
}
