import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Radios } from '../../components/choice-list.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { faultAt, isOfNoField } from '../../lib/faults.ts'
import { countOf, wordsOf } from '../../lib/format.ts'
import type { Provisioning } from '../../lib/nouns.ts'
import { Link } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { textOf, useSubmit } from '../../lib/use-submit.ts'
import { useMe } from '../me.tsx'
import { roleHints, rolesToGive } from '../members/roles.ts'
import { SimplePicker } from '../pickers.tsx'

type TeamRole = Provisioning['team_roles'][number]

const given_roles = ['admin', 'finance', 'developer', 'viewer'] as const
type GivenRole = (typeof given_roles)[number]

/** Teams whose members have a role as long as they are in them. */
export function TeamRolesTab({ team_roles }: { team_roles: readonly TeamRole[] }) {
  const { membership } = useMe()
  const [open, setOpen] = useState<{ what: 'set' | 'end'; of: TeamRole | null } | null>(null)
  const mayGive = rolesToGive(membership.role)
  const actions: Column<TeamRole> = {
    ...{ head: 'Actions', look: 'actions' },
    cell: (of) => (
      <>
        <Button look="secondary" size="small" onClick={() => setOpen({ what: 'set', of })}>
          Change<span className="only-read"> {of.team.name}</span>
        </Button>
        <Button look="secondary" size="small" onClick={() => setOpen({ what: 'end', of })}>
          Remove<span className="only-read"> {of.team.name}</span>
        </Button>
      </>
    ),
  }
  const withheld = given_roles.filter((role) => !mayGive.includes(role))
  return (
    <>
      <p>
        Members of the team who have an account get its role with their next click, in place of one given by hand, and
        lose it when they leave the team. Of several teams the strongest counts. Owners stay owners.
      </p>
      <div className="toolbar">
        <Button onClick={() => setOpen({ what: 'set', of: null })}>Map a team</Button>
        {withheld.length > 0 ? (
          <span className="hint">Only an owner maps a team to {withheld.join(' or ')}.</span>
        ) : null}
      </div>
      {team_roles.length > 0 ? (
        <Table label="Roles by team" columns={[...columns, actions]} rows={team_roles} idOf={({ team }) => team.id} />
      ) : (
        <div className="empty">
          <h2>No team gives a role</h2>
          <p>
            Roles are given by hand, under <Link to="/members">Members</Link>. Map a team, and the groups of your
            identity provider decide who may do what here.
          </p>
        </div>
      )}
      {open?.what === 'set' ? <MapDialog of={open.of} onClose={() => setOpen(null)} /> : null}
      {open?.what === 'end' && open.of ? <EndDialog of={open.of} onClose={() => setOpen(null)} /> : null}
    </>
  )
}

const columns: readonly Column<TeamRole>[] = [
  {
    ...{ head: 'Team', look: 'main' },
    cell: ({ team }) => (
      <Link to={`/people?team=${team.id}`}>
        <bdi>{team.name}</bdi>
      </Link>
    ),
  },
  { head: 'Role', cell: ({ role }) => wordsOf(role) },
  {
    head: 'Members',
    cell: ({ member_count, account_count }) => (
      <>
        {countOf(member_count, 'member')}
        <span className="under">{account_count.toLocaleString('en')} with an account</span>
      </>
    ),
  },
]

function MapDialog({ of, onClose }: { of: TeamRole | null; onClose(): void }) {
  const { membership } = useMe()
  const [key] = useState(() => crypto.randomUUID())
  const mayGive = rolesToGive(membership.role)
  const offered = given_roles.filter((role) => mayGive.includes(role))
  const [role, setRole] = useState<GivenRole>(offered.find((one) => one === of?.role) ?? 'viewer')
  const { submit, isBusy, error } = useSubmit(async (form) => {
    const team_id = of?.team.id ?? textOf(form, 'team_id')
    await stint.provisioning.update({ team_roles: [{ team_id, role }] }, { idempotency_key: key })
    onClose()
  })
  return (
    <FormDialog
      title={of ? `Role of ${of.team.name}` : 'Map a team'}
      action={`Give the role ${role}`}
      submit={submit}
      isBusy={isBusy}
      error={isOfNoField(error, ['/team_roles/0/team_id']) ? error : null}
      onClose={onClose}
    >
      {of ? null : (
        <SimplePicker
          of="teams"
          name="team_id"
          label="Team"
          placeholder="Name of the team"
          required
          fault={faultAt(error, '/team_roles/0/team_id')}
        />
      )}
      <Radios
        name="role"
        legend="Role of its members"
        value={role}
        onChange={setRole}
        options={offered.map((value) => ({ value, words: wordsOf(value), hint: roleHints[value] }))}
      />
      <p className="hint">
        Whoever puts people into the team gives them this role: your identity provider, and those here who may give it
        by hand.
      </p>
    </FormDialog>
  )
}

function EndDialog({ of: { team, role, account_count }, onClose }: { of: TeamRole; onClose(): void }) {
  return (
    <ConfirmDialog
      title={`Let ${team.name} give no role?`}
      action="Remove the role"
      onClose={onClose}
      onConfirm={async () => {
        await stint.provisioning.update({ team_roles: [{ team_id: team.id, role: null }] })
      }}
    >
      <p>
        {account_count === 1 ? 'One member has' : `${account_count.toLocaleString('en')} members have`} the role {role}{' '}
        by this team. They go back to the role given by hand, or to none, with their next click.
      </p>
    </ConfirmDialog>
  )
}
