import { useState } from 'react'
import type { ApiError } from '../lib/api.ts'
import { useCountdown } from '../lib/use-countdown.ts'
import { Banner } from './banner.tsx'

/** The fault in the service's own words, and the id that the operator finds it by in the log. */
export function ErrorBanner({ error }: { error: ApiError }) {
  return (
    <Banner tone="error">
      <p>{error.message}</p>
      {error.status === 429 ? <Wait key={error.request_id} seconds={error.retry_after_s} /> : null}
      {error.status >= 500 && error.request_id ? (
        <p>
          Request <code>{error.request_id}</code>
        </p>
      ) : null}
    </Banner>
  )
}

/** The alert is read out once; the ticking seconds are for the eye. */
function Wait({ seconds }: { seconds: number }) {
  const [until_ms] = useState(() => Date.now() + seconds * 1_000)
  const wait_s = useCountdown(until_ms)
  return wait_s > 0 ? <p aria-hidden="true">Try again in {wait_s} s.</p> : null
}
