import { useState } from 'react'
import type { Person } from '#sdk/index.ts'
import { Button } from '../../components/button.tsx'
import { Failed } from '../../components/list.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { hrefOf, Link, useSearch } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useAnswer } from '../../lib/use-answer.ts'
import { PageTitle } from '../frame.tsx'
import { useMe } from '../me.tsx'
import { ObjectEvents } from '../object-events.tsx'
import { EntitlementsTab } from '../time-off/entitlements-tab.tsx'
import { ContractsTab } from './contracts-tab.tsx'
import { MoveDialog } from './move-dialog.tsx'
import { PersonProfile } from './person-profile.tsx'
import { PersonBadges, workerTypeWords } from './words.tsx'
import '../../styles/work.css'

const refreshed_every_ms = 10_000

const tabs = [
  { name: 'profile', words: 'Profile' },
  { name: 'contracts', words: 'Contracts' },
  { name: 'time-off', words: 'Time off' },
  { name: 'events', words: 'Events' },
] as const

/** One person: who it is, what it works under, when it is away. */
export function PersonPage({ id }: { id: string }) {
  const { can } = useMe()
  const [search, setSearch] = useSearch()
  const { value: person, error, reload } = useAnswer(stint.people.get, { person_id: id }, refreshed_every_ms)
  const [isMoving, setMoving] = useState(false)
  const mayReadEvents = can('webhooks:write')
  const shown = tabs.filter(({ name }) => name !== 'events' || mayReadEvents)
  const tab = shown.find(({ name }) => name === search.get('tab'))?.name ?? 'profile'
  const back = { to: '/people', words: 'People' }
  if (!person) {
    return (
      <>
        <PageTitle title="Person" back={back} />
        {error ? <Failed error={error} reload={reload} /> : <Skeleton rows={6} />}
      </>
    )
  }
  const panels = {
    profile: <PersonProfile person={person} />,
    contracts: <ContractsTab person={person} />,
    'time-off': <EntitlementsTab person_id={id} />,
    events: <ObjectEvents id={id} />,
  }
  return (
    <>
      <PageTitle
        title={person.full_name}
        back={back}
        beside={<PersonBadges person={person} />}
        lead={<p>{leadOf(person)}</p>}
        actions={
          can('people:write') ? (
            <>
              <Button look="secondary" onClick={() => setMoving(true)}>
                Move…
              </Button>
              <Link className="button primary" to={`/people/${id}/edit`}>
                Edit
              </Link>
            </>
          ) : null
        }
      />
      <Tabs
        label="Views of the person"
        tabs={shown}
        current={tab}
        hrefOf={(name) => hrefOf(`/people/${id}?tab=${name}`)}
        onChoose={(name) => setSearch({ tab: name === 'profile' ? null : name })}
      />
      {panels[tab]}
      {isMoving ? <MoveDialog person={person} onClose={() => setMoving(false)} /> : null}
    </>
  )
}

const leadOf = ({ job_title, worker_type, department, email }: Person) =>
  [job_title || workerTypeWords(worker_type), department?.name, email].filter(Boolean).join(' · ')
