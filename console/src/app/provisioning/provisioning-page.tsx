import { Failed } from '../../components/list.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Tabs } from '../../components/tabs.tsx'
import type { Provisioning } from '../../lib/nouns.ts'
import { hrefOf, Link, useSearch } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useAnswer } from '../../lib/use-answer.ts'
import { AsCurl } from '../as-curl.tsx'
import { PageTitle } from '../frame.tsx'
import { ConnectionTab } from './connection-tab.tsx'
import { PeopleTab } from './people-tab.tsx'
import { RequestsTab } from './requests-tab.tsx'
import { StateBanners } from './state-banners.tsx'
import { TeamRolesTab } from './team-roles-tab.tsx'
import '../../styles/administration.css'

const refreshed_every_ms = 10_000

const tabs = [
  { name: 'connection', words: 'Connection' },
  { name: 'requests', words: 'Requests' },
  { name: 'people', words: 'People' },
  { name: 'teams', words: 'Roles by team' },
] as const

/** The identity provider of the organization: how it is connected, how it fares, whom it keeps and what its groups give. */
export function ProvisioningPage() {
  const [search, setSearch] = useSearch()
  const { value, error, reload } = useAnswer(stint.provisioning.get, {}, refreshed_every_ms)
  const tab = tabs.find(({ name }) => name === search.get('tab'))?.name ?? 'connection'
  return (
    <>
      <PageTitle
        title="Provisioning"
        lead={
          <p>
            Your identity provider adds people and teams, keeps them up to date and closes their access (SCIM 2.0). It
            never touches contracts or pay.
          </p>
        }
        actions={
          <Link className="button primary" to="/tokens/new?for=provisioning">
            Make token
          </Link>
        }
      />
      {error && !value ? <Failed error={error} reload={reload} /> : null}
      {!value && !error ? <Skeleton rows={6} /> : null}
      {value ? (
        <>
          <StateBanners provisioning={value} />
          <Tabs
            label="Views of provisioning"
            tabs={tabs}
            current={tab}
            hrefOf={(name) => hrefOf(`/provisioning?tab=${name}`)}
            onChoose={(name) => setSearch({ tab: name === 'connection' ? null : name, open: null })}
          />
          <Panel tab={tab} provisioning={value} />
        </>
      ) : null}
      <div className="foot-actions">
        <AsCurl method="GET" path="/provisioning" />
      </div>
    </>
  )
}

function Panel({ tab, provisioning }: { tab: (typeof tabs)[number]['name']; provisioning: Provisioning }) {
  if (tab === 'requests') return <RequestsTab />
  if (tab === 'people') return <PeopleTab people={provisioning.people} />
  if (tab === 'teams') return <TeamRolesTab team_roles={provisioning.team_roles} />
  return <ConnectionTab provisioning={provisioning} />
}
