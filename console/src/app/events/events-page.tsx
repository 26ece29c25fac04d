import { Badge } from '../../components/badge.tsx'
import { Code } from '../../components/code.tsx'
import { List } from '../../components/list.tsx'
import { Moment } from '../../components/moment.tsx'
import { SelectField } from '../../components/select-field.tsx'
import type { Column } from '../../components/table.tsx'
import { useLive } from '../../lib/live.ts'
import type { EventPayload } from '../../lib/nouns.ts'
import { Link, useSearch } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { firstPage, useAnswer, useList } from '../../lib/use-answer.ts'
import { curlOf } from '../curl.ts'
import { PageTitle } from '../frame.tsx'
import { useMe } from '../me.tsx'

const idOf = ({ data }: EventPayload) => data.meta.event_id
const starts = [
  { value: '', words: 'From the oldest on' },
  { value: 'latest', words: 'From now on' },
]

/** The feed: all that happened, in its order, and what happens now. */
export function EventsPage() {
  const [search, setSearch] = useSearch()
  const types = useAnswer(firstPage(stint.webhooks.list_event_types), {})
  const type = search.get('type') ?? ''
  const start = search.get('start') ?? ''
  const filter = { event_types: type ? [type] : undefined, start: start === 'latest' ? ('latest' as const) : undefined }
  const list = useList(stint.events.list, filter, idOf)
  // While there is a page left, what happens now would stand behind a gap.
  const isAtEnd = list.rows !== null && !list.has_more
  const place = { event_types: filter.event_types, cursor: list.cursor }
  const state = useLive<EventPayload>('/events', place, isAtEnd, list.add)
  const options = [
    { value: '', words: 'Any event type' },
    ...(types.value?.data ?? []).map(({ name }) => ({ value: name, words: name })),
  ]
  return (
    <>
      <PageTitle
        title="Events"
        lead={<p>Everything that happened, in order; the same objects that webhooks deliver.</p>}
      />
      <div className="filters">
        <SelectField
          label="Event type"
          options={options}
          value={type}
          onChange={(event) => setSearch({ type: event.currentTarget.value })}
        />
        <SelectField
          label="Begin"
          options={starts}
          value={start}
          onChange={(event) => setSearch({ start: event.currentTarget.value })}
        />
      </div>
      <div className="toolbar">
        <span className={`live ${state}`} role="status">
          {state === 'live' ? 'Live' : isAtEnd ? 'Connecting…' : 'Not live while events are left to load'}
        </span>
      </div>
      <List
        list={list}
        label="Events"
        one="event"
        columns={columns}
        idOf={idOf}
        clearFilters={type ? () => setSearch({ type: null }) : undefined}
        empty={start ? <p>Waiting for the next event. It appears here within a second.</p> : <NoEvent />}
      />
    </>
  )
}

const columns: readonly Column<EventPayload>[] = [
  {
    ...{ head: 'Event', look: 'main' },
    cell: ({ data: { meta } }) => (
      <>
        <Link to={`/events/${meta.event_id}`}>
          <code>{meta.event_type}</code>
        </Link>{' '}
        {meta.is_simulation ? <Badge>simulation</Badge> : null}
      </>
    ),
  },
  {
    head: 'Resource',
    cell: ({ data: { resource } }) => {
      const [first = {}] = resource
      const [name, id] = Object.entries(first).find(([key, value]) => key.endsWith('_id') && value) ?? []
      return name ? (
        <span>
          {name} <code>{String(id)}</code>
          {resource.length > 1 ? ` and ${resource.length - 1} more` : ''}
        </span>
      ) : null
    },
  },
  { head: 'When', cell: ({ timestamp }) => <Moment at={timestamp} isExact /> },
]

function NoEvent() {
  const { base_url } = useMe()
  return (
    <>
      <h2>Nothing has happened yet</h2>
      <p>Every change of people, contracts, pay and access appears here. Programs read the same feed:</p>
      <Code text={curlOf(base_url, 'GET', '/events')} what="call of the feed" />
    </>
  )
}
