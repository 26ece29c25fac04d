import { Time } from '../../components/time.tsx'
import { countOf } from '../../lib/format.ts'
import type { Overview } from '../../lib/nouns.ts'
import { ErrorsOfDay } from '../requests/errors-of-day.tsx'
import { Figure } from './figure.tsx'

const day = { period: '24' }

/** Requests and deliveries of the last day by how they ended; errors by operation and code, each with the way to them. */
export function LastDay({ figures: { webhooks, requests } }: { figures: Overview }) {
  if (!webhooks && !requests) return null
  const errors = requests?.errors ?? []
  return (
    <section className="panel" aria-labelledby="last-day">
      <h2 id="last-day">Last 24 hours</h2>
      <ul className="figures within">
        {requests ? (
          <>
            <Figure
              to={listOf(day)}
              figure={requests.succeeded + requests.refused + requests.failed}
              words="requests"
            />
            <Figure to={listOf({ ...day, outcome: 'refused' })} figure={requests.refused} words="refused (4xx)" />
            <Figure
              to={listOf({ ...day, outcome: 'failed' })}
              figure={requests.failed}
              words="failed (5xx)"
              tone={requests.failed > 0 ? 'warning' : undefined}
            />
          </>
        ) : null}
        {webhooks ? (
          <Figure
            to="/webhooks"
            figure={webhooks.failed}
            words={`of ${countOf(webhooks.succeeded + webhooks.failed, 'delivery', 'deliveries')} failed${shareOf(webhooks)}`}
            tone={webhooks.failed > 0 ? 'warning' : undefined}
          />
        ) : null}
      </ul>
      {webhooks?.oldest_pending_at ? (
        <p className="hint">
          The oldest delivery under way was made <Time at={webhooks.oldest_pending_at} />.
        </p>
      ) : null}
      {errors.length > 0 ? (
        <>
          <h3>Errors by operation</h3>
          <ErrorsOfDay errors={errors} />
        </>
      ) : null}
    </section>
  )
}

const listOf = (query: Record<string, string>) => `/requests?${new URLSearchParams(query)}`

/** A share of a few deliveries would say more than it knows. */
const worth_a_share = 20

function shareOf({ succeeded, failed }: NonNullable<Overview['webhooks']>): string {
  const all = succeeded + failed
  if (failed === 0 || all < worth_a_share) return ''
  return ` (${((100 * failed) / all).toFixed(1)} %)`
}
