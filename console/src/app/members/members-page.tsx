import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Filters, SelectFilter, useFilters } from '../../components/filters.tsx'
import { List } from '../../components/list.tsx'
import { Status } from '../../components/status.tsx'
import type { Column } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { wordsOf } from '../../lib/format.ts'
import type { Member } from '../../lib/nouns.ts'
import { useSearch } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { firstPage, useAnswer, useList } from '../../lib/use-answer.ts'
import { AsCurl } from '../as-curl.tsx'
import { PageTitle } from '../frame.tsx'
import { useMe } from '../me.tsx'
import { OpenLink } from '../open-link.tsx'
import { everybody } from '../page-entry.ts'
import { Invitations } from './invitations.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { MemberDrawer } from './member-drawer.tsx'
import '../../styles/administration.css'

const names = ['role', 'status']
const statuses = ['active', 'disabled'] as const

/** The people who may act for the organization, those who are invited, and what each of them may do. */
export function MembersPage() {
  const { can, session } = useMe()
  const [search, setSearch] = useSearch()
  const filters = useFilters(names)
  const list = useList(stint.members.list, {
    roles: filters.several('role', everybody),
    statuses: filters.several('status', statuses),
  })
  const owners = useAnswer(firstPage(stint.members.list), { roles: ['owner'], statuses: ['active'], limit: 2 })
  const [isInviting, setInviting] = useState(false)
  const mayChange = can('organizations:write')
  const opened = list.rows?.find(({ id }) => id === search.get('member'))
  const name: Column<Member> = {
    ...{ head: 'Name', look: 'main' },
    cell: ({ id, name: words, email }) => (
      <>
        <OpenLink name="member" id={id}>
          <bdi>{words}</bdi>
        </OpenLink>{' '}
        {id === session.user_id ? <Badge>you</Badge> : null}
        <span className="under">
          <bdi>{email}</bdi>
        </span>
      </>
    ),
  }
  return (
    <>
      <PageTitle
        title="Members"
        lead={
          <p>
            People with an account who act for this organization. Workers have pages of their own and are no members.
          </p>
        }
        actions={
          mayChange ? (
            <Button aria-keyshortcuts="c" onClick={() => setInviting(true)}>
              Invite member
            </Button>
          ) : null
        }
      />
      <Invitations />
      <Filters count={filters.count}>
        <SelectFilter name="role" label="Role" options={roleOptions} />
        <SelectFilter name="status" label="Status" options={statusOptions} />
      </Filters>
      <List
        list={list}
        label="Members"
        one="member"
        columns={[name, ...columns]}
        isPale={({ status }) => status === 'disabled'}
        clearFilters={filters.clear}
        empty={<p>Nobody is a member.</p>}
      />
      <div className="foot-actions">
        <AsCurl method="GET" path="/members" />
      </div>
      {opened ? (
        <MemberDrawer
          key={opened.id}
          member={opened}
          isLastOwner={owners.value?.total_count === 1 && isOwner(opened)}
          onClose={() => setSearch({ member: null })}
        />
      ) : null}
      {isInviting ? <InviteDialog onClose={() => setInviting(false)} /> : null}
    </>
  )
}

const isOwner = ({ role, status }: Member) => role === 'owner' && status === 'active'

const roleOptions = [{ value: '', words: 'All roles' }, ...everybody.map((value) => ({ value, words: wordsOf(value) }))]
const statusOptions = [
  { value: '', words: 'All states' },
  ...statuses.map((value) => ({ value, words: wordsOf(value) })),
]

const columns: readonly Column<Member>[] = [
  {
    head: 'Role',
    cell: ({ role, team_role }) =>
      team_role ? (
        <>
          {wordsOf(team_role)}
          <span className="under">by a team; by hand {role}</span>
        </>
      ) : (
        wordsOf(role)
      ),
  },
  { head: 'Status', cell: ({ status }) => <Status value={status} /> },
  {
    head: 'Second factor',
    cell: ({ has_second_factor }) => (has_second_factor ? 'Yes' : <Badge tone="warning">None</Badge>),
  },
  { head: 'Member since', cell: ({ created_at }) => <Time at={created_at} /> },
]
