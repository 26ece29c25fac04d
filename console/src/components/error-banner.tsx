import { useState } from 'react'
import type { ApiError } from '../lib/api.ts'
import { useCountdown } from '../lib/use-countdown.ts'
import { Banner } from './banner.tsx'
import { CopyButton } from './copy-button.tsx'

/** Refusals of what was typed or of who one is: their words are enough, and the log knows nothing more. */
const plain_statuses = new Set([0, 400, 401, 422])
const plain_codes = new Set(['code_refused', 'sign_in_refused'])

/** Refusals by how things are, which the page showed otherwise. */
const stale_codes = new Set(['invalid_state', 'already_signed', 'terms_changed', 'terms_locked', 'no_open_invitation'])

/** The fault in the service's own words, what to do, and the id that the operator finds it by in the log. */
export function ErrorBanner({ error }: { error: ApiError }) {
  const { message, status, code, request_id } = error
  const isStale = stale_codes.has(code)
  return (
    <Banner tone="error" {...(isStale && { title: 'This has changed meanwhile.' })}>
      <p>{message}</p>
      {isStale ? <p>The page shows how it is now; what you typed is kept.</p> : null}
      {status === 429 ? <Wait key={request_id} seconds={error.retry_after_s} /> : null}
      {request_id && !plain_statuses.has(status) && !plain_codes.has(code) ? (
        <p className="request">
          <code>{code}</code> · request <code>{request_id}</code> <CopyButton text={request_id} what="request id" />
        </p>
      ) : null}
    </Banner>
  )
}

/** The alert is read out once; the ticking seconds are for the eye. */
function Wait({ seconds }: { seconds: number }) {
  const [until_ms] = useState(() => Date.now() + seconds * 1_000)
  const wait_s = useCountdown(until_ms)
  return <p aria-hidden="true">{wait_s > 0 ? `Try again in ${wait_s} s.` : 'You can try again now.'}</p>
}
