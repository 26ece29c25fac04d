import { Page } from '../../components/page.tsx'
import { plainText } from '../../lib/plain-text.ts'
import type { Consent } from './consent.ts'

/** Stays in sight only where the address belongs to a program, which takes it without this page going away. */
export function LeavingPage({ to, consent }: { to: string; consent: Consent }) {
  return (
    <Page title="Done">
      <p>
        Your decision goes to <bdi>{plainText(consent.client.name)}</bdi>. This window can be closed.
      </p>
      <p>
        If nothing happens, <a href={to}>continue here</a>.
      </p>
    </Page>
  )
}
