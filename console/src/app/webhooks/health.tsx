import { Badge } from '../../components/badge.tsx'
import { type Attempt, type Delivery, entryOf, type Webhook } from '../../lib/nouns.ts'

/** From this many failures in a row on, the pages warn: half of what disables. */
export const failures_worth_a_warning = 5

export function WebhookBadge({ webhook: { status, disabled_reason, consecutive_failures } }: { webhook: Webhook }) {
  if (status === 'disabled') {
    return <Badge tone="danger">{disabled_reason === 'failures' ? 'disabled' : 'paused'}</Badge>
  }
  return consecutive_failures >= failures_worth_a_warning ? (
    <Badge tone="warning">failing</Badge>
  ) : (
    <Badge tone="good">active</Badge>
  )
}

const tones = {
  pending: 'plain',
  sending: 'plain',
  held: 'warning',
  succeeded: 'good',
  failed: 'danger',
  discarded: 'plain',
  cancelled: 'plain',
  expired: 'danger',
} as const

export function DeliveryBadge({ delivery }: { delivery: Delivery }) {
  const { status, attempt_no, recovered_at } = delivery
  const isRetried = status === 'pending' && attempt_no > 0
  return (
    <>
      <Badge tone={isRetried ? 'warning' : entryOf(tones, status, 'plain')}>
        {isRetried ? `retry ${attempt_no}` : status}
      </Badge>
      {recovered_at && status !== 'succeeded' ? <Badge tone="good">recovered</Badge> : null}
    </>
  )
}

export const statusWords: Record<string, string> = {
  pending: 'It waits.',
  sending: 'An attempt is under way.',
  held: 'Kept back until the webhook is enabled again.',
  succeeded: 'The receiver answered 2xx.',
  failed: 'Every attempt of its schedule failed.',
  discarded: 'Left out when the webhook was enabled again.',
  cancelled: 'Not sent: its event type was taken off, or somebody cancelled it.',
  expired: 'Held for longer than deliveries are kept.',
}

/** Advice for each class of failure. */
export const hints: Record<string, string> = {
  dns: 'The host name has no address. Check the name and its DNS records.',
  blocked_address:
    'The name leads to an address that is not public. The operator decides which private ones are allowed.',
  connect_refused: 'Nothing listens on that port. Is the receiver running?',
  connect_unreachable: 'No way leads to that address. Check routing and firewall.',
  connect_reset: 'The connection was broken off. Look for a proxy or a crash at the receiver.',
  tls_certificate: 'The certificate is not trusted, has expired or is for another name.',
  tls_handshake: 'No common version or cipher of TLS. The receiver needs TLS 1.2 or newer.',
  timeout: 'No answer within 30 seconds. Answer first, work afterwards.',
  closed: 'The receiver closed the connection before it answered.',
  protocol: 'The answer is no valid HTTP.',
  head_too_large: 'The headers of the answer are too large.',
  redirect: 'Redirects are not followed. Give the final address as URL.',
  http_4xx: 'The receiver refused it: often a wrong signing key, path or missing permission.',
  http_5xx: 'The receiver broke on it. Look into its log at this time.',
  http_other: 'The receiver answered with a status that is neither success nor error.',
  worker_lost: 'The service was interrupted while sending. It is sent again and does not count.',
  shutdown: 'The service was shutting down. It is sent again and does not count.',
  internal: 'A fault of the service itself. It does not count.',
}

/** `http_5xx` as words: `HTTP 503`, `connect refused`. */
export function errorWords(error_class: string | null, status: number | null): string {
  if (status !== null) return `HTTP ${status}`
  return error_class === null ? 'no answer' : error_class.replaceAll('_', ' ')
}

/** `First attempt`, `Retry 3 of series 2`. */
export const attemptWords = ({ attempt_no, series }: Attempt) =>
  `${attempt_no === 0 ? 'First attempt' : `Retry ${attempt_no}`}${series > 1 ? ` of series ${series}` : ''}`
