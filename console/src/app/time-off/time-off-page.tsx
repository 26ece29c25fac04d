import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { hrefOf, useSearch } from '../../lib/router.tsx'
import { PageTitle } from '../frame.tsx'
import { useMe } from '../me.tsx'
import { PoliciesTab } from './policies-tab.tsx'
import { RequestsTab, views } from './requests-tab.tsx'
import '../../styles/work.css'

const tabs = [...views, { name: 'policies', words: 'Policies' }] as const

/** Absences: what waits for a decision first, then who is away when, and the rules of it. */
export function TimeOffPage() {
  const { can } = useMe()
  const [search, setSearch] = useSearch()
  const [isAdding, setAdding] = useState(false)
  const tab = tabs.find(({ name }) => name === search.get('view'))?.name ?? 'requested'
  const mayWrite = can('time-off:write')
  const isPolicies = tab === 'policies'
  const stop = () => setAdding(false)
  return (
    <>
      <PageTitle
        title="Time off"
        lead={<p>Vacation, sick leave and other absences, each under a policy that says how its days are counted.</p>}
        actions={
          mayWrite ? (
            <Button aria-keyshortcuts="c" onClick={() => setAdding(true)}>
              {isPolicies ? 'Add policy' : 'Add time off'}
            </Button>
          ) : null
        }
      />
      <Tabs
        label="Views of time off"
        tabs={tabs}
        current={tab}
        hrefOf={(name) => hrefOf(`/time-off?view=${name}`)}
        onChoose={(name) => setSearch({ view: name === 'requested' ? null : name, open: null })}
      />
      {isPolicies ? (
        <PoliciesTab isAdding={isAdding} stop={stop} />
      ) : (
        <RequestsTab view={tab} isAdding={isAdding} stop={stop} />
      )}
    </>
  )
}
