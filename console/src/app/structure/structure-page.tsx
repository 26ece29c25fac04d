import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { hrefOf, useSearch } from '../../lib/router.tsx'
import { PageTitle } from '../frame.tsx'
import { useMe } from '../me.tsx'
import { kinds } from './kinds.tsx'
import { NamedList } from './named-list.tsx'

/** Parts of the organization that people and contracts are sorted by. */
export function StructurePage() {
  const { can } = useMe()
  const [search, setSearch] = useSearch()
  const [isAdding, setAdding] = useState(false)
  const kind = kinds.find(({ name }) => name === search.get('view')) ?? kinds[0]
  const mayWrite = can('organizations:write')
  return (
    <>
      <PageTitle
        title="Structure"
        lead={
          <p>What people and contracts are sorted by, and the fields that you keep of them beside those of Stint.</p>
        }
        actions={
          mayWrite ? (
            <Button aria-keyshortcuts="c" onClick={() => setAdding(true)}>
              Add {kind.one}
            </Button>
          ) : null
        }
      />
      <Tabs
        label="Parts of the organization"
        tabs={kinds}
        current={kind.name}
        hrefOf={(name) => hrefOf(`/structure?view=${name}`)}
        onChoose={(name) => setSearch({ view: name === kinds[0].name ? null : name, q: null })}
      />
      <NamedList key={kind.name} kind={kind} mayWrite={mayWrite} isAdding={isAdding} stop={() => setAdding(false)} />
    </>
  )
}
