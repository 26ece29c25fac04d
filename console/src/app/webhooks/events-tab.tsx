import { useEffect, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Code } from '../../components/code.tsx'
import { ErrorBanner } from '../../components/error-banner.tsx'
import { Expandable } from '../../components/expandable.tsx'
import { Failed } from '../../components/list.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Time } from '../../components/time.tsx'
import { type ApiError, apiErrorOf } from '../../lib/api.ts'
import { countOf } from '../../lib/format.ts'
import type { Delivery, EventType, Webhook } from '../../lib/nouns.ts'
import { Link } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { firstPage, useAnswer } from '../../lib/use-answer.ts'
import { useMe } from '../me.tsx'
import { DeliveryBadge, errorWords } from './health.tsx'

const simulations_per_hour_max = 10
const hour_ms = 3_600_000

/** The event types of a webhook; expanded, each shows what is sent and can be simulated. */
export function EventsTab({ webhook }: { webhook: Webhook }) {
  const { can } = useMe()
  const types = useAnswer(firstPage(stint.webhooks.list_event_types), {})
  const quota = useQuota(webhook.id)
  const listed = types.value?.data.filter(({ name }) => webhook.events.includes(name)) ?? []
  const mayWrite = can('webhooks:write')
  return (
    <section aria-label="Events and simulate">
      <div className="toolbar">
        <span role="status">
          {quota.left > 0 ? `${quota.left} of ${simulations_per_hour_max} simulations left this hour` : null}
          {quota.left === 0 ? (
            <>
              No simulation left; the next one <Time at={quota.next_at} isAhead />
            </>
          ) : null}
        </span>
        {mayWrite ? (
          <Link className="button secondary small" to={`/webhooks/${webhook.id}?tab=settings`}>
            Change event types
          </Link>
        ) : null}
      </div>
      {listed.length > 1 && mayWrite ? <p>Open an event type to simulate it.</p> : null}
      {types.error ? <Failed error={types.error} reload={types.reload} /> : null}
      {types.value === null && !types.error ? <Skeleton rows={4} /> : null}
      <ul className="expandable">
        {listed.map((type) => (
          <li key={type.name}>
            <Expandable
              isOpen={listed.length === 1}
              summary={
                <>
                  <code>{type.name}</code> <span className="hint">{type.description}</span>
                </>
              }
            >
              {mayWrite ? <Simulate webhook={webhook} type={type} quota={quota} /> : null}
              <p>A simulated event is signed and retried like a real one. The receiver gets this:</p>
              <Code text={JSON.stringify(simulatedOf(type, webhook.payload), null, 2)} what="example payload" />
            </Expandable>
          </li>
        ))}
      </ul>
      {types.value ? <p className="hint">Subscribed to {countOf(webhook.events.length, 'event type')}.</p> : null}
    </section>
  )
}

/** The published example as a simulation is sent. */
function simulatedOf({ payload_example }: EventType, payload: Webhook['payload']): unknown {
  // The cast holds because every payload has this frame.
  const { data, ...rest } = payload_example as { data: { meta: object; resource: Record<string, unknown>[] } }
  const resource = payload === 'full' ? data.resource : data.resource.map(thinned)
  return { data: { ...data, meta: { ...data.meta, is_simulation: true }, resource }, ...rest }
}

const thinned = (entry: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(entry).filter(([name]) => /_id$|^status$|^created_at$/.test(name)))

interface Quota {
  left: number
  next_at: string | null
  reload(): void
}

/** Simulations of the last hour are counted by the list of deliveries. */
function useQuota(webhook_id: string): Quota {
  const [since, setSince] = useState(anHourAgo)
  const query = { webhook_id, origins: ['simulation'], since, limit: simulations_per_hour_max } as const
  const { value } = useAnswer(firstPage(stint.webhooks.list_deliveries), query)
  const oldest = value?.data.at(-1)
  return {
    left: Math.max(0, simulations_per_hour_max - (value?.total_count ?? 0)),
    next_at: oldest ? new Date(Date.parse(oldest.created_at) + hour_ms).toISOString() : null,
    reload: () => setSince(anHourAgo()),
  }
}

const anHourAgo = () => new Date(Date.now() - hour_ms).toISOString()

function Simulate({ webhook, type, quota }: { webhook: Webhook; type: EventType; quota: Quota }) {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<ApiError | null>(null)
  const [made, setMade] = useState<Delivery | null>(null)
  const send = async () => {
    setBusy(true)
    setError(null)
    try {
      setMade(await stint.webhooks.simulate({ webhook_id: webhook.id, event_type: type.name }))
    } catch (thrown) {
      setError(apiErrorOf(thrown))
    }
    quota.reload()
    setBusy(false)
  }
  return (
    <div className="stack simulate">
      {error ? <ErrorBanner error={error} /> : null}
      <div className="actions">
        <Button isBusy={isBusy} disabled={webhook.status === 'disabled' || quota.left === 0} onClick={send}>
          Simulate
        </Button>
      </div>
      {webhook.status === 'disabled' ? <p className="hint">Re-enable the webhook first.</p> : null}
      {made ? <SimulatedDelivery key={made.id} made={made} /> : null}
    </div>
  )
}

const refreshed_every_ms = 1_000

/** The delivery that was just made, until it has been tried. */
function SimulatedDelivery({ made }: { made: Delivery }) {
  const [isTried, setTried] = useState(false)
  const ids = { webhook_id: made.webhook_id, delivery_id: made.id }
  const { value } = useAnswer(stint.webhooks.get_delivery, ids, isTried ? undefined : refreshed_every_ms)
  const delivery = value ?? made
  const attempt = value?.attempts.at(-1)
  const hasAttempt = attempt !== undefined && delivery.status !== 'sending'
  useEffect(() => {
    if (hasAttempt) setTried(true)
  }, [hasAttempt])
  return (
    <p role="status">
      <DeliveryBadge delivery={delivery} />{' '}
      {attempt
        ? attempt.outcome === 'succeeded'
          ? `The receiver answered ${attempt.response_status} in ${Math.round(attempt.total_ms ?? 0)} ms.`
          : `It failed: ${errorWords(attempt.error_class, attempt.response_status)}.`
        : 'On its way…'}
      {attempt && delivery.next_attempt_at ? (
        <>
          {' '}
          Sent again <Time at={delivery.next_attempt_at} isAhead />.
        </>
      ) : null}{' '}
      <Link to={`/webhooks/${made.webhook_id}?delivery=${made.id}`}>See the delivery</Link>
    </p>
  )
}
