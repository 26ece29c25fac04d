import { List } from '../../components/list.tsx'
import { LiveState } from '../../components/live-state.tsx'
import type { Column } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import type { LoggedRequest } from '../../lib/nouns.ts'
import { Link, useSearch } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useList } from '../../lib/use-answer.ts'
import { useArriving, useSince } from '../../lib/use-arriving.ts'
import { OpenLink } from '../open-link.tsx'
import { RequestBadge } from '../requests/request-badge.tsx'
import { RequestDrawer } from '../requests/request-drawer.tsx'

const query = { surfaces: ['scim'] as const }
const latest = { surfaces: ['scim'] as ['scim'], limit: 100 }
const kept_ms = 30 * 86_400_000
const began_at = new Date(Date.now() - kept_ms).toISOString()
const timeOf = ({ occurred_at }: LoggedRequest) => occurred_at

/** The latest hundred requests of identity providers as they come, each refusal with what to do about it. */
export function RequestsTab() {
  const [search, setSearch] = useSearch()
  const list = useList(stint.request_logs.list, latest)
  const since = useSince(list, { asked: 'scim', otherwise: began_at, timeOf })
  const arriving = useArriving<LoggedRequest>('/request-logs', query, since, list.put)
  const open_id = search.get('open')
  return (
    <>
      <div className="toolbar">
        <LiveState arriving={arriving} />
        <Link to="/requests?way=scim">In the request log, with filters</Link>
      </div>
      <List
        list={list}
        label="Requests"
        one="request"
        columns={columns}
        empty={
          <>
            <h2>No request yet</h2>
            <p>What your identity provider asks appears here within a second. Names and addresses are not kept.</p>
          </>
        }
      />
      {open_id ? <RequestDrawer key={open_id} id={open_id} onClose={() => setSearch({ open: null })} /> : null}
    </>
  )
}

const columns: readonly Column<LoggedRequest>[] = [
  {
    ...{ head: 'Request', look: 'main' },
    cell: ({ id, method, path, operation }) => (
      <>
        <OpenLink name="open" id={id}>
          <code>{operation}</code>
        </OpenLink>
        <span className="under">
          {method} {path}
        </span>
      </>
    ),
  },
  { head: 'Answer', cell: (request) => <RequestBadge request={request} /> },
  { head: 'What to do', cell: ({ hint }) => hint ?? <span className="none">–</span> },
  { head: 'By', cell: ({ actor }) => <bdi>{actor.name}</bdi> },
  { head: 'When', cell: ({ occurred_at }) => <Time at={occurred_at} /> },
]
