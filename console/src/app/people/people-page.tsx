import type { Person } from '#sdk/index.ts'
import { Code } from '../../components/code.tsx'
import { Day } from '../../components/date.tsx'
import { Filters, SearchFilter, SelectFilter, useFilters } from '../../components/filters.tsx'
import { List } from '../../components/list.tsx'
import type { Column } from '../../components/table.tsx'
import { Link } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useList } from '../../lib/use-answer.ts'
import { curlOf } from '../curl.ts'
import { PageTitle } from '../frame.tsx'
import { countryName } from '../lookup-field.tsx'
import { useMe } from '../me.tsx'
import { NamedFilter } from '../structure/named-filter.tsx'
import { PersonBadges, person_column, person_statuses, worker_types, workerTypeWords } from './words.tsx'

const names = ['q', 'status', 'kind', 'department', 'team', 'manager']

/** Everybody who works here, or did. */
export function PeoplePage() {
  const { can } = useMe()
  const { one, several, clear, count } = useFilters(names)
  const list = useList(stint.people.list, {
    search: one('q'),
    statuses: several('status', ['active', 'pending', 'offboarding', 'inactive']),
    worker_types: several('kind', ['contractor', 'employee']),
    department_id: one('department'),
    team_id: one('team'),
    manager_id: one('manager'),
  })
  const mayWrite = can('people:write')
  return (
    <>
      <PageTitle
        title="People"
        lead={<p>Everybody who works for the organization. What they are paid is in their contracts.</p>}
        actions={mayWrite ? <AddPerson words="Add person" /> : null}
      />
      <Filters count={count}>
        <SearchFilter name="q" label="Search" placeholder="Name or e-mail" />
        <SelectFilter name="status" label="Status" options={[{ value: '', words: 'Any status' }, ...person_statuses]} />
        <SelectFilter name="kind" label="Kind" options={[{ value: '', words: 'Any kind' }, ...worker_types]} />
        <NamedFilter name="department" label="Department" of="departments" any="Any department" />
        <NamedFilter name="team" label="Team" of="teams" any="Any team" />
      </Filters>
      <List
        list={list}
        label="People"
        one="person"
        columns={columns}
        clearFilters={clear}
        isPale={({ status }) => status === 'inactive'}
        empty={<Nobody mayWrite={mayWrite} />}
      />
    </>
  )
}

const AddPerson = ({ words }: { words: string }) => (
  <Link className="button primary" to="/people/new" aria-keyshortcuts="c">
    {words}
  </Link>
)

const columns: readonly Column<Person>[] = [
  person_column,
  {
    head: 'Work',
    cell: ({ job_title, worker_type, department }) => (
      <>
        {job_title || workerTypeWords(worker_type)}
        <span className="under">
          {[department?.name, job_title && workerTypeWords(worker_type)].filter(Boolean).join(' · ')}
        </span>
      </>
    ),
  },
  {
    head: 'Manager',
    cell: ({ manager }) =>
      manager ? <Link to={`/people/${manager.id}`}>{manager.name}</Link> : <span className="none">–</span>,
  },
  {
    head: 'Country',
    cell: ({ country }) => (country ? countryName(country) : <span className="none">–</span>),
  },
  {
    head: 'Status',
    cell: (person) => (
      <span className="badges">
        <PersonBadges person={person} />
      </span>
    ),
  },
  { head: 'Since', cell: ({ start_date }) => <Day value={start_date} /> },
]

function Nobody({ mayWrite }: { mayWrite: boolean }) {
  const { base_url } = useMe()
  const body = { first_name: 'Ada', last_name: 'Lindqvist', email: 'ada@example.org' }
  return (
    <>
      <h2>Nobody yet</h2>
      <p>Add the people who work for you: contractors and employees. Then draft a contract for each.</p>
      {mayWrite ? (
        <p>
          <AddPerson words="Add the first person" />
        </p>
      ) : (
        <p>Owners and admins add people.</p>
      )}
      <p>Or on a command line:</p>
      <Code text={curlOf(base_url, 'POST', '/people', body)} what="call that adds a person" />
    </>
  )
}
