import type { OauthClientsListInput } from '#sdk/index.ts'
import { Badge } from '../../components/badge.tsx'
import { Code } from '../../components/code.tsx'
import { Filters, SelectFilter, useFilters } from '../../components/filters.tsx'
import { List } from '../../components/list.tsx'
import type { Column } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { countOf, hostOf } from '../../lib/format.ts'
import type { OauthClient } from '../../lib/nouns.ts'
import { plainText } from '../../lib/plain-text.ts'
import { Link, useSearch } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useList } from '../../lib/use-answer.ts'
import { curlOf } from '../curl.ts'
import { PageTitle } from '../frame.tsx'
import { useMe } from '../me.tsx'
import { OpenLink } from '../open-link.tsx'
import { ClientDrawer } from './client-drawer.tsx'
import '../../styles/administration.css'

const looks: Readonly<Record<string, OauthClientsListInput>> = {
  own: { kinds: ['managed'] },
  others: { kinds: ['dynamic', 'document'] },
  verified: { verdicts: ['verified'] },
  blocked: { verdicts: ['blocked'] },
}
const options = [
  { value: '', words: 'All clients' },
  { value: 'own', words: 'Made here' },
  { value: 'others', words: 'Registered by themselves' },
  { value: 'verified', words: 'Verified' },
  { value: 'blocked', words: 'Blocked' },
]

/** Programs that may ask for a permission: those made here, and those of others that somebody here has met. */
export function ClientsPage() {
  const [search, setSearch] = useSearch()
  const { one, clear, count } = useFilters(['look'])
  const list = useList(stint.oauth_clients.list, looks[one('look') ?? ''] ?? {})
  const opened = list.rows?.find(({ id }) => id === search.get('client'))
  const name: Column<OauthClient> = {
    ...{ head: 'Client', look: 'main' },
    cell: (client) => (
      <>
        <OpenLink name="client" id={client.id}>
          <bdi>{plainText(client.name)}</bdi>
        </OpenLink>{' '}
        <ClientBadge client={client} />
        <span className="under">{whereOf(client)}</span>
      </>
    ),
  }
  return (
    <>
      <PageTitle
        title="OAuth clients"
        lead={<p>Programs and agents that ask people, or this organization, for a permission.</p>}
        actions={
          <Link className="button primary" to="/oauth/new" aria-keyshortcuts="c">
            New client
          </Link>
        }
      />
      <Filters count={count}>
        <SelectFilter name="look" label="Show" options={options} />
      </Filters>
      <List
        list={list}
        label="OAuth clients"
        one="client"
        columns={[name, ...columns]}
        isPale={({ verdict }) => verdict === 'blocked'}
        clearFilters={clear}
        empty={<NoClient />}
      />
      {opened ? <ClientDrawer key={opened.id} client={opened} onClose={() => setSearch({ client: null })} /> : null}
    </>
  )
}

/** Says of a client of others what this organization thinks of it. */
export function ClientBadge({ client: { kind, verdict } }: { client: OauthClient }) {
  if (kind === 'managed') return <Badge>made here</Badge>
  if (verdict === 'verified') return <Badge tone="good">Verified</Badge>
  return verdict === 'blocked' ? <Badge tone="danger">Blocked</Badge> : <Badge tone="warning">Unverified</Badge>
}

/** The host that people are sent back to; a client that acts for the organization sends nobody anywhere. */
const whereOf = ({ redirect_uris }: OauthClient) => [...new Set(redirect_uris.map(hostOf))].join(', ') || 'no redirect'

export const actsFor = ({ grant_types }: OauthClient) =>
  [
    grant_types.includes('authorization_code') && 'people who allow it',
    grant_types.includes('client_credentials') && 'the organization',
  ]
    .filter(Boolean)
    .join(' and ')

const columns: readonly Column<OauthClient>[] = [
  { head: 'Acts for', cell: actsFor },
  {
    head: 'Access',
    cell: ({ scopes }) =>
      scopes === null ? 'as people allow' : scopes.length === 1 ? scopes[0] : countOf(scopes.length, 'scope'),
  },
  { head: 'Since', cell: ({ created_at }) => <Time at={created_at} /> },
  { head: 'Last used', cell: ({ last_used_at }) => <Time at={last_used_at} none="never" /> },
]

function NoClient() {
  const { base_url } = useMe()
  const body = {
    name: 'Payroll sync',
    grant_types: ['client_credentials'],
    scopes: ['people:read'],
  }
  return (
    <>
      <h2>No client yet</h2>
      <p>
        A client is how a program of yours signs people in, or acts for the organization without a person. Agents mostly
        register by themselves and appear here with their first permission.
      </p>
      <p>
        <Link className="button primary" to="/oauth/new">
          Create the first client
        </Link>
      </p>
      <p>Or on a command line:</p>
      <Code text={curlOf(base_url, 'POST', '/oauth-clients', body)} what="call that creates a client" />
    </>
  )
}
