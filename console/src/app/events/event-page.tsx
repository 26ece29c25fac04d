import { Badge } from '../../components/badge.tsx'
import { Code } from '../../components/code.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Failed } from '../../components/list.tsx'
import { Moment } from '../../components/moment.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { hostOf } from '../../lib/format.ts'
import { Link } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useAnswer } from '../../lib/use-answer.ts'
import { PageTitle } from '../frame.tsx'
import { DeliveryBadge } from '../webhooks/health.tsx'

const skipWords: Record<string, string> = {
  type_not_listed: 'It does not list this event type.',
  created_later: 'It was made later.',
  deleted_before: 'It was deleted before.',
  changed_concurrently: 'It was being changed at that moment.',
  simulation_for_other: 'The simulation was for another webhook.',
  about_itself: 'The event is about this webhook itself.',
}

/** One event and what became of it at each webhook. */
export function EventPage({ id }: { id: string }) {
  const { value, error, reload } = useAnswer(stint.events.get, { event_id: id })
  const back = { to: '/events', words: 'Events' }
  if (!value) {
    return (
      <>
        <PageTitle title="Event" back={back} />
        {error ? <Failed error={error} reload={reload} /> : <Skeleton rows={6} />}
      </>
    )
  }
  const { event, recorded_at, request_id, subscriptions } = value
  const { event_type, is_simulation } = event.data.meta
  return (
    <>
      <PageTitle title={event_type} back={back} beside={is_simulation ? <Badge>simulation</Badge> : null} />
      <dl className="facts">
        <dt>Event</dt>
        <dd>
          <code>{id}</code> <CopyButton text={id} what="event id" />
        </dd>
        <dt>Recorded</dt>
        <dd>
          <Moment at={recorded_at} isExact />
        </dd>
        {request_id ? (
          <>
            <dt>Request</dt>
            <dd>
              <code>{request_id}</code>
            </dd>
          </>
        ) : null}
      </dl>
      <h2>Webhooks</h2>
      {subscriptions.length === 0 ? <p>There was no webhook.</p> : null}
      <ul className="rows">
        {subscriptions.map(({ webhook_id, name, url, status, reason, deliveries }) => (
          <li key={webhook_id}>
            <div>
              {status === 'deleted' ? (
                <bdi>{name || hostOf(url)}</bdi>
              ) : (
                <Link to={`/webhooks/${webhook_id}`}>
                  <bdi>{name || hostOf(url)}</bdi>
                </Link>
              )}
              <p className="hint">{reason ? skipWords[reason] : null}</p>
            </div>
            <span className="badges">
              {status === 'active' ? null : <Badge>{status}</Badge>}
              {deliveries.length === 0 ? <Badge>not sent</Badge> : null}
              {deliveries.map((delivery) => (
                <Link key={delivery.id} to={`/webhooks/${webhook_id}?delivery=${delivery.id}`}>
                  <DeliveryBadge delivery={delivery} />
                </Link>
              ))}
            </span>
          </li>
        ))}
      </ul>
      <h2>Payload</h2>
      <Code text={JSON.stringify(event, null, 2)} what="payload" />
    </>
  )
}
