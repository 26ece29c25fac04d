import { useEffect, useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { ErrorBanner } from '../../components/error-banner.tsx'
import { Failed } from '../../components/list.tsx'
import { Moment } from '../../components/moment.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Time } from '../../components/time.tsx'
import { type ApiError, apiErrorOf } from '../../lib/api.ts'
import { type Delivery, type DeliveryWithAttempts, entryOf, type Webhook } from '../../lib/nouns.ts'
import { Link, useSearch } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useAnswer } from '../../lib/use-answer.ts'
import { useMe } from '../me.tsx'
import { Attempts } from './attempts.tsx'
import { DeliveryBadge, statusWords } from './health.tsx'

const open_statuses = new Set(['pending', 'sending', 'held'])
const refreshed_every_ms = 2_000

interface DeliveryDrawerProps {
  webhook: Webhook
  id: string
  rows: readonly Delivery[]
  onMade(delivery: Delivery): void
  onClose(): void
}

/** The evidence of one delivery: every attempt with its timings, what was sent and what came back. */
export function DeliveryDrawer({ webhook, id, rows, onMade, onClose }: DeliveryDrawerProps) {
  const { membership } = useMe()
  const [, setSearch] = useSearch()
  const mayRead = membership.role !== 'viewer'
  const [isOver, setOver] = useState(false)
  const ids = mayRead ? { webhook_id: webhook.id, delivery_id: id } : null
  const {
    value: delivery,
    error,
    reload,
  } = useAnswer(stint.webhooks.get_delivery, ids, isOver ? undefined : refreshed_every_ms)
  const status = delivery?.status
  useEffect(() => {
    if (status) setOver(!open_statuses.has(status))
  }, [status])
  return (
    <Dialog title="Delivery" look="drawer" onClose={onClose}>
      <Neighbours rows={rows} id={id} open={(next) => setSearch({ delivery: next })} />
      {mayRead ? null : <p>What was sent is shown to owners, admins and developers; you are a viewer here.</p>}
      {error ? <Failed error={error} reload={reload} /> : null}
      {delivery ? (
        <Evidence delivery={delivery} webhook={webhook} onMade={onMade} />
      ) : mayRead && !error ? (
        <Skeleton rows={6} />
      ) : null}
    </Dialog>
  )
}

/** On and back in the list behind. */
function Neighbours({ rows, id, open }: { rows: readonly Delivery[]; id: string; open(id: string): void }) {
  const at = rows.findIndex((row) => row.id === id)
  const [before, next] = [rows[at - 1], rows[at + 1]]
  if (at < 0) return null
  return (
    <p className="toolbar">
      <Button
        look="secondary"
        size="small"
        disabled={!before}
        aria-keyshortcuts="k"
        onClick={() => before && open(before.id)}
      >
        Previous
      </Button>
      <Button
        look="secondary"
        size="small"
        disabled={!next}
        aria-keyshortcuts="j"
        onClick={() => next && open(next.id)}
      >
        Next
      </Button>
    </p>
  )
}

interface EvidenceProps {
  delivery: DeliveryWithAttempts
  webhook: Webhook
  onMade(delivery: Delivery): void
}

function Evidence({ delivery, webhook, onMade }: EvidenceProps) {
  const { can } = useMe()
  const { id, event_id, event_type, is_simulation, status, next_attempt_at, expires_at, source_delivery_id } = delivery
  return (
    <div className="stack">
      <p className="evidence-title">
        <code>{event_type}</code> <DeliveryBadge delivery={delivery} />
        {is_simulation ? <Badge>simulation</Badge> : null}
      </p>
      <p>
        {entryOf(statusWords, status, '')}
        {next_attempt_at ? (
          <>
            {' '}
            Next attempt <Time at={next_attempt_at} isAhead />.
          </>
        ) : null}
        {expires_at ? (
          <>
            {' '}
            It expires <Time at={expires_at} />.
          </>
        ) : null}
      </p>
      {can('webhooks:write') ? <Resend delivery={delivery} webhook={webhook} onMade={onMade} /> : null}
      <dl className="facts">
        <dt>Delivery</dt>
        <dd>
          <code>{id}</code> <CopyButton text={id} what="delivery id" />
        </dd>
        <dt>Event</dt>
        <dd>
          <Link to={`/events/${event_id}`}>
            <code>{event_id}</code>
          </Link>{' '}
          <CopyButton text={event_id} what="event id" />
        </dd>
        {source_delivery_id ? (
          <>
            <dt>Repeats</dt>
            <dd>
              <Link to={`/webhooks/${webhook.id}?delivery=${source_delivery_id}`}>
                <code>{source_delivery_id}</code>
              </Link>
            </dd>
          </>
        ) : null}
        <dt>Created</dt>
        <dd>
          <Moment at={delivery.created_at} isExact />
        </dd>
      </dl>
      <Attempts delivery={delivery} />
    </div>
  )
}

function Resend({ delivery, webhook, onMade }: EvidenceProps) {
  const [, setSearch] = useSearch()
  const [state, setState] = useState<'idle' | 'once' | 'retry'>('idle')
  const [error, setError] = useState<ApiError | null>(null)
  if (webhook.status === 'disabled') return <p className="hint">Re-enable the webhook to send it once more.</p>
  if (delivery.status === 'sending' || delivery.status === 'held') return null
  const send = async (retry: boolean) => {
    setState(retry ? 'retry' : 'once')
    setError(null)
    try {
      const made = await stint.webhooks.redeliver({ webhook_id: webhook.id, delivery_id: delivery.id, retry })
      onMade(made)
      setSearch({ delivery: made.id })
    } catch (thrown) {
      setError(apiErrorOf(thrown))
      setState('idle')
    }
  }
  return (
    <>
      {error ? <ErrorBanner error={error} /> : null}
      <div className="actions">
        <Button look="secondary" size="small" isBusy={state === 'once'} onClick={() => send(false)}>
          Resend once
        </Button>
        <Button look="secondary" size="small" isBusy={state === 'retry'} onClick={() => send(true)}>
          Resend with retries
        </Button>
      </div>
    </>
  )
}
