import { Banner } from '../../components/banner.tsx'
import { Page } from '../../components/page.tsx'
import type { Consent } from './consent.ts'

const reasons = {
  unknown: {
    title: 'This request is over',
    words: 'It is not known, is older than 10 minutes, or was opened by somebody else before.',
  },
  decided: { title: 'This request was decided', words: 'Each request can be allowed or denied once.' },
  expired: { title: 'This request has expired', words: 'A request can be decided for 10 minutes.' },
}

/** Leads nowhere: where a request would have gone is not to be believed once it is over. */
export function RequestOverPage({ why }: { why: keyof typeof reasons }) {
  const { title, words } = reasons[why]
  return (
    <Page title={title}>
      <p>{words}</p>
      <p>Nothing was granted here. Go back to the application and connect again; this window can be closed.</p>
    </Page>
  )
}

export function NoPlacePage({ consent: { client } }: { consent: Consent }) {
  return (
    <Page title="Nothing can be granted">
      <Banner tone="warning">
        <p>
          You belong to no organization in which you may let <bdi>{client.name}</bdi> in: you are a member of none, or
          they have blocked it.
        </p>
      </Banner>
      <p>Nothing was granted. Ask an owner of your organization; this window can be closed.</p>
    </Page>
  )
}
