import { Banner } from '../../components/banner.tsx'
import { Time } from '../../components/time.tsx'
import { Link } from '../../lib/router.tsx'
import type { Overview } from './use-overview.ts'

const late_ms = 15 * 60_000
const worth_a_share = 20
const failed_share_max = 0.01

/** Says that the service itself is slow or fails; what a receiver or a caller does wrong stands elsewhere. */
export function Degraded({ overview: { figures, webhooks } }: { overview: Overview }) {
  const oldest = figures?.webhooks?.oldest_pending_at ?? null
  // A delivery that its receiver refused waits for its next attempt, and is late for that alone.
  const isRefused = webhooks?.data.some(({ consecutive_failures }) => consecutive_failures > 0) ?? false
  const isLate = oldest !== null && !isRefused && Date.now() - Date.parse(oldest) > late_ms
  const { succeeded = 0, refused = 0, failed = 0 } = figures?.requests ?? {}
  const all = succeeded + refused + failed
  const isFailing = all >= worth_a_share && failed / all > failed_share_max
  if (!isLate && !isFailing) return null
  return (
    <Banner tone="warning" title="The service is not at its best.">
      {isLate ? (
        <p>
          Deliveries are late: the oldest waits since <Time at={oldest} />. Nothing is lost; they arrive in their order.
        </p>
      ) : null}
      {isFailing ? (
        <p>
          <Link to="/requests?period=24&outcome=failed">{failed} requests</Link> of the last 24 hours failed on the side
          of the service. Whoever operates it finds them in its log by their request ids.
        </p>
      ) : null}
    </Banner>
  )
}
