import { Badge } from '../../components/badge.tsx'
import { Time } from '../../components/time.tsx'
import { countOf } from '../../lib/format.ts'
import type { Overview } from '../../lib/nouns.ts'
import { Link } from '../../lib/router.tsx'

type Ended = NonNullable<Overview['requests']>['errors'][number]

/** Refusals and failures of the last day, grouped by operation and code; each leads to its requests. */
export function ErrorsOfDay({ errors }: { errors: readonly Ended[] }) {
  return (
    <ul className="rows">
      {errors.map(({ operation, status, error_code, requests, latest_at }) => (
        <li key={`${operation} ${status} ${error_code}`}>
          <div>
            <Link to={`/requests?${new URLSearchParams({ operation, code: error_code })}`}>
              <code>{operation}</code>
            </Link>
            <p className="hint">
              {countOf(requests, 'time')}, last <Time at={latest_at} />
            </p>
          </div>
          <Badge tone={status >= 500 ? 'danger' : 'warning'}>
            {status} {error_code}
          </Badge>
        </li>
      ))}
    </ul>
  )
}
