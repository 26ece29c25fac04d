import { Filters, type Option, SearchFilter, SelectFilter, useFilters } from '../../components/filters.tsx'
import { List } from '../../components/list.tsx'
import { LiveState } from '../../components/live-state.tsx'
import { Moment } from '../../components/moment.tsx'
import type { Column } from '../../components/table.tsx'
import { durationOf } from '../../lib/format.ts'
import type { LoggedRequest } from '../../lib/nouns.ts'
import { Link, useSearch } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { firstPage, useAnswer, useList } from '../../lib/use-answer.ts'
import { useArriving, useSince } from '../../lib/use-arriving.ts'
import { FirstCall } from '../first-call.tsx'
import { PageTitle } from '../frame.tsx'
import { RequestBadge } from './request-badge.tsx'
import { RequestDrawer } from './request-drawer.tsx'

const names = ['outcome', 'way', 'by', 'operation', 'code', 'request', 'period']
const outcomes: readonly Option[] = [
  { value: '', words: 'Any outcome' },
  { value: 'succeeded', words: 'Succeeded' },
  { value: 'refused', words: 'Refused (4xx)' },
  { value: 'failed', words: 'Failed (5xx)' },
]
const ways: readonly Option[] = [
  { value: '', words: 'Any way in' },
  { value: 'rest', words: 'REST API' },
  { value: 'mcp', words: 'Tool server' },
  { value: 'scim', words: 'Provisioning (SCIM)' },
]
const periods: readonly Option[] = [
  { value: '', words: 'Any time' },
  { value: '1', words: 'Last hour' },
  { value: '24', words: 'Last 24 hours' },
  { value: '168', words: 'Last 7 days' },
]
const minute_ms = 60_000
const hour_ms = 3_600_000
const timeOf = ({ occurred_at }: LoggedRequest) => occurred_at

/** The requests of tokens and apps with what came of them, as they are made. */
export function RequestsPage() {
  const [search, setSearch] = useSearch()
  const filters = useFilters(names)
  const query = queryOf(filters)
  const list = useList(stint.request_logs.list, query)
  const since = useSince(list, { asked: JSON.stringify(query), otherwise: began_at, timeOf })
  const arriving = useArriving<LoggedRequest>('/request-logs', query, since, list.put)
  const open_id = search.get('open')
  return (
    <>
      <PageTitle
        title="Request log"
        lead={<p>What your tokens and apps asked, and what they were answered. Requests are kept for 30 days.</p>}
      />
      <Filters count={filters.count}>
        <SelectFilter name="outcome" label="Outcome" options={outcomes} />
        <SelectFilter name="way" label="Way in" options={ways} />
        <SelectFilter name="by" label="Token or app" options={useSenders()} />
        <SelectFilter name="period" label="Period" options={periods} />
        <SearchFilter name="operation" label="Operation" placeholder="contracts.list" />
        <SearchFilter name="code" label="Error code" placeholder="insufficient_scope" />
        <SearchFilter name="request" label="Request-Id" />
      </Filters>
      <div className="toolbar">
        <LiveState arriving={arriving} />
      </div>
      <List
        list={list}
        label="Requests"
        one="request"
        columns={columns}
        clearFilters={filters.clear}
        empty={<NoRequest />}
      />
      {open_id ? <RequestDrawer key={open_id} id={open_id} onClose={() => setSearch({ open: null })} /> : null}
    </>
  )
}

/** In an empty list all that is kept is news; the clocks of page and service may differ. */
const kept_days = 30
const began_at = new Date(Date.now() - kept_days * 24 * hour_ms).toISOString()

function queryOf({ one, several }: ReturnType<typeof useFilters>) {
  const period = Number(one('period') ?? 0)
  const [kind, id] = one('by')?.split(/:(.*)/) ?? []
  return {
    outcomes: several('outcome', ['succeeded', 'refused', 'failed']),
    surfaces: several('way', ['rest', 'mcp', 'scim']),
    credential_id: kind === 'token' ? id : undefined,
    client_id: kind === 'app' ? id : undefined,
    operation: one('operation'),
    error_code: one('code'),
    request_id: one('request'),
    // To the full minute, so that one question stays one.
    from:
      period > 0
        ? new Date(Math.floor((Date.now() - period * hour_ms) / minute_ms) * minute_ms).toISOString()
        : undefined,
  }
}

const looked_at_max = 100

/** Tokens by themselves, and apps, whose tokens change every hour, by their client. */
function useSenders(): Option[] {
  const tokens = useAnswer(firstPage(stint.api_tokens.list), { limit: looked_at_max })
  const grants = useAnswer(firstPage(stint.oauth_grants.list), { limit: looked_at_max })
  const apps = new Map(grants.value?.data.map(({ client_id, client_name }) => [client_id, client_name]))
  return [
    { value: '', words: 'Any token or app' },
    ...(tokens.value?.data.map(({ id, name }) => ({ value: `token:${id}`, words: name })) ?? []),
    ...[...apps].map(([id, name]) => ({ value: `app:${id}`, words: `${name} (app)` })),
  ]
}

const columns: readonly Column<LoggedRequest>[] = [
  {
    ...{ head: 'Request', look: 'main' },
    cell: ({ id, method, path, operation, surface }) => (
      <>
        <OpenLink id={id} words={operation} />
        <span className="under">{surface === 'mcp' ? 'Tool call' : `${method} ${path}`}</span>
      </>
    ),
  },
  {
    head: 'Answer',
    cell: (request) => (
      <>
        <RequestBadge request={request} />
        {request.missing_scopes.length > 0 ? (
          <span className="under">needs {request.missing_scopes.join(' or ')}</span>
        ) : null}
        {request.hint ? <span className="under">{request.hint}</span> : null}
      </>
    ),
  },
  { head: 'By', cell: ({ actor }) => <bdi>{actor.name}</bdi> },
  { head: 'Took', look: 'number', cell: ({ duration_ms }) => durationOf(duration_ms) },
  { head: 'When', cell: ({ occurred_at }) => <Moment at={occurred_at} isExact /> },
]

function OpenLink({ id, words }: { id: string; words: string }) {
  const [search] = useSearch()
  search.set('open', id)
  return (
    <Link to={`/requests?${search}`}>
      <code>{words}</code>
    </Link>
  )
}

function NoRequest() {
  return (
    <>
      <h2>No request yet</h2>
      <p>Requests of your tokens and apps appear here within a second. Make one:</p>
      <FirstCall />
    </>
  )
}
