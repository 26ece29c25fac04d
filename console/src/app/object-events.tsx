import { Failed } from '../components/list.tsx'
import { Moment } from '../components/moment.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { Link } from '../lib/router.tsx'
import { stint } from '../lib/service.ts'
import { firstPage, useAnswer } from '../lib/use-answer.ts'
import { useMe } from './me.tsx'

const shown_max = 20
/** An event is written after its change; the page that made it is there sooner. */
const asked_every_ms = 5_000

/** The latest events of one object, the newest first; nothing for those who may not read events. */
export function ObjectEvents({ id }: { id: string }) {
  const { can } = useMe()
  return can('webhooks:write') ? <Events id={id} /> : null
}

function Events({ id }: { id: string }) {
  const { value, error, reload } = useAnswer(
    firstPage(stint.events.list),
    { resource_id: id, limit: 100 },
    asked_every_ms,
  )
  return (
    <section className="panel">
      <h2>Events</h2>
      {error ? <Failed error={error} reload={reload} /> : null}
      {!value && !error ? <Skeleton rows={3} /> : null}
      {value?.data.length === 0 ? (
        <p className="hint">No event of it is kept. A change shows here within seconds.</p>
      ) : null}
      <ul className="rows whole-words">
        {value?.data
          .slice(-shown_max)
          .reverse()
          .map(({ timestamp, data: { meta } }) => (
            <li key={meta.event_id}>
              <Link to={`/events/${meta.event_id}`}>
                <code>{meta.event_type}</code>
              </Link>
              <Moment at={timestamp} isExact />
            </li>
          ))}
      </ul>
    </section>
  )
}
