import type { Person } from '#sdk/index.ts'
import { List } from '../../components/list.tsx'
import type { Column } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { countOf } from '../../lib/format.ts'
import type { Provisioning } from '../../lib/nouns.ts'
import { Link } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useList } from '../../lib/use-answer.ts'
import { PersonBadges, person_column } from '../people/words.tsx'

const kept = { is_provisioned: true }

/** The people whom an identity provider keeps, each with the time of its last write. */
export function PeopleTab({ people: { removed } }: { people: Provisioning['people'] }) {
  const list = useList(stint.people.list, kept)
  return (
    <>
      {removed > 0 ? (
        <p>
          {countOf(removed, 'person')} {removed === 1 ? 'was' : 'were'} removed by the identity provider and{' '}
          {removed === 1 ? 'stays' : 'stay'} under <Link to="/people">People</Link>, without access, because contracts
          or payments name them.
        </p>
      ) : null}
      <List
        list={list}
        label="People kept by the identity provider"
        one="person"
        columns={columns}
        empty={
          <>
            <h2>Nobody yet</h2>
            <p>
              People appear here when the identity provider adds them, or takes over somebody with the same user name or
              work e-mail.
            </p>
          </>
        }
      />
    </>
  )
}

const columns: readonly Column<Person>[] = [
  person_column,
  {
    head: 'Status',
    cell: (person) => (
      <span className="badges">
        <PersonBadges person={person} />
      </span>
    ),
  },
  {
    head: 'Teams',
    cell: ({ teams }) => teams.map(({ name }) => name).join(', ') || <span className="none">–</span>,
  },
  { head: 'Last sync', cell: ({ provisioned_at }) => <Time at={provisioned_at} none="not since it was linked" /> },
]
