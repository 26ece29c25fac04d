import type { ApiError } from '../lib/api.ts'
import { Button } from './button.tsx'
import { ErrorBanner } from './error-banner.tsx'
import { Page } from './page.tsx'

export function FailedPage({ error, reload }: { error: ApiError; reload(): void }) {
  return (
    <Page title="This page could not be loaded">
      <ErrorBanner error={error} />
      <div className="actions">
        <Button onClick={reload}>Try again</Button>
      </div>
    </Page>
  )
}
