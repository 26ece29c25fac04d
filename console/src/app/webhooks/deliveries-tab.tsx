import { useEffect, useRef, useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { List } from '../../components/list.tsx'
import { LiveState } from '../../components/live-state.tsx'
import type { Column } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import type { Delivery, Webhook } from '../../lib/nouns.ts'
import { Link, useSearch } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useList } from '../../lib/use-answer.ts'
import { useArriving, useSince } from '../../lib/use-arriving.ts'
import { useMe } from '../me.tsx'
import { DeliveryDrawer } from './delivery-drawer.tsx'
import { DeliveryFilters, queryOfFilters } from './delivery-filters.tsx'
import { DeliveryBadge, errorWords } from './health.tsx'
import { ReplayDialog } from './replay-dialog.tsx'

const timeOf = ({ updated_at }: Delivery) => updated_at

/** Deliveries and their answers, as they happen. */
export function DeliveriesTab({ webhook, reload }: { webhook: Webhook; reload(): void }) {
  const { can } = useMe()
  const [search, setSearch] = useSearch()
  const [isReplaying, setReplaying] = useState(false)
  const path = `/webhooks/${webhook.id}/deliveries`
  const query = queryOfFilters(search)
  const list = useList(stint.webhooks.list_deliveries, { webhook_id: webhook.id, ...query })
  const since = useSince(list, { asked: JSON.stringify(query), otherwise: webhook.created_at, timeOf })
  const arriving = useArriving<Delivery>(path, query, since, (row) => {
    list.put(row)
    // Its counters stand above the list.
    if (row.status !== 'sending') reload()
  })
  const { reload: reloadList } = list
  const status = useRef(webhook.status)
  useEffect(() => {
    // Enabling and disabling touches many deliveries at once.
    if (status.current !== webhook.status) reloadList()
    status.current = webhook.status
  }, [webhook.status, reloadList])
  const hasFilters = Object.values(query).some((value) => value !== undefined)
  const open_id = search.get('delivery')
  return (
    <section aria-label="Deliveries">
      <DeliveryFilters types={webhook.events} />
      <div className="toolbar">
        <LiveState arriving={arriving} />
        {can('webhooks:write') && webhook.status === 'active' ? (
          <Button look="secondary" size="small" onClick={() => setReplaying(true)}>
            Replay…
          </Button>
        ) : null}
      </div>
      <List
        list={list}
        label="Deliveries"
        one="delivery"
        columns={columns(webhook.id)}
        clearFilters={
          hasFilters
            ? () => setSearch({ status: null, type: null, origin: null, period: null, resource: null })
            : undefined
        }
        empty={<NoDelivery webhook={webhook} />}
      />
      <p className="hint">Deliveries are kept for about 30 days.</p>
      {open_id ? (
        <DeliveryDrawer
          key={open_id}
          webhook={webhook}
          id={open_id}
          rows={list.rows ?? []}
          onMade={list.put}
          onClose={() => setSearch({ delivery: null })}
        />
      ) : null}
      {isReplaying ? (
        <ReplayDialog
          webhook_id={webhook.id}
          onClose={() => setReplaying(false)}
          onStarted={() => setSearch({ tab: 'replays' })}
        />
      ) : null}
    </section>
  )
}

const columns = (webhook_id: string): readonly Column<Delivery>[] => [
  {
    ...{ head: 'Event', look: 'main' },
    cell: ({ id, event_type, is_simulation, origin }) => (
      <>
        <OpenLink webhook_id={webhook_id} id={id} words={event_type} />{' '}
        {is_simulation ? <Badge>simulation</Badge> : null}
        {origin === 'redelivery' || origin === 'replay' ? <Badge>{origin}</Badge> : null}
      </>
    ),
  },
  { head: 'Status', cell: (delivery) => <DeliveryBadge delivery={delivery} /> },
  {
    head: 'Answer',
    cell: ({ last_status, last_error_class }) =>
      last_status === null && last_error_class === null ? (
        <span className="none">–</span>
      ) : (
        errorWords(last_error_class, last_status)
      ),
  },
  {
    ...{ head: 'Attempts', look: 'number' },
    cell: ({ attempt_no, first_attempt_at, status }) => madeOf(attempt_no, first_attempt_at, status),
  },
  { head: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
  {
    head: 'Next',
    cell: ({ next_attempt_at, expires_at, completed_at }) =>
      next_attempt_at ? (
        <Time at={next_attempt_at} isAhead />
      ) : expires_at ? (
        <>
          expires <Time at={expires_at} />
        </>
      ) : (
        <span className="none">{completed_at ? '–' : 'now'}</span>
      ),
  },
]

/** The number counts from 0 and names the next attempt while one is due. */
function madeOf(attempt_no: number, first_attempt_at: string | null, status: Delivery['status']): number {
  if (first_attempt_at === null) return 0
  return status === 'pending' ? attempt_no : attempt_no + 1
}

function OpenLink({ webhook_id, id, words }: { webhook_id: string; id: string; words: string }) {
  const [search] = useSearch()
  search.set('delivery', id)
  return (
    <Link to={`/webhooks/${webhook_id}?${search}`}>
      <code>{words}</code>
    </Link>
  )
}

function NoDelivery({ webhook }: { webhook: Webhook }) {
  return (
    <>
      <h2>Nothing sent yet</h2>
      <p>Events appear here as they are sent. Simulate one to see how it looks.</p>
      <p>
        <Link className="button primary" to={`/webhooks/${webhook.id}?tab=events`}>
          Simulate an event
        </Link>
      </p>
    </>
  )
}
