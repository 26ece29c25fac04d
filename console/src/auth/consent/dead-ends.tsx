import type { ReactNode } from 'react'
import { Banner } from '../../components/banner.tsx'
import { Page } from '../../components/page.tsx'
import { plainText } from '../../lib/plain-text.ts'
import type { Consent } from './consent.ts'

const reasons = {
  unknown: {
    title: 'This request is over',
    words:
      'It is not known, is older than 10 minutes, or was opened by somebody else before. Nothing was granted here.',
  },
  decided: {
    title: 'This request was decided',
    words: 'Each request can be allowed or denied once. Connected applications can be disconnected at any time.',
  },
  expired: {
    title: 'This request has expired',
    words: 'A request can be decided for 10 minutes. Nothing was granted.',
  },
}

/** Leads nowhere: where a request would have gone is not to be believed once it is over. */
export function RequestOverPage({ why }: { why: keyof typeof reasons }) {
  const { title, words } = reasons[why]
  return (
    <Page title={title}>
      <p>{words}</p>
      <p>To connect, begin again in the application. This window can be closed.</p>
    </Page>
  )
}

export function NoPlacePage({ consent: { client }, signedInAs }: { consent: Consent; signedInAs: ReactNode }) {
  return (
    <Page title="Nothing can be granted" aside={signedInAs}>
      <Banner tone="warning">
        <p>
          You belong to no organization in which you may let <bdi>{plainText(client.name)}</bdi> in: you are a member of
          none, they have blocked it, or they demand a second factor that you have not signed in with: set one up on{' '}
          <a href="/console/account">your account page</a>.
        </p>
      </Banner>
      <p>Nothing was granted. Ask an owner of your organization; this window can be closed.</p>
    </Page>
  )
}
