import type { ApiError } from '../lib/api.ts'
import { Banner } from './banner.tsx'

/** The fault in the service's own words, and the id that the operator finds it by in the log. */
export function ErrorBanner({ error }: { error: ApiError }) {
  return (
    <Banner tone="error">
      <p>{error.message}</p>
      {error.status >= 500 && error.request_id ? (
        <p>
          Request <code>{error.request_id}</code>
        </p>
      ) : null}
    </Banner>
  )
}
