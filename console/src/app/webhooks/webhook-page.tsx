import { Failed } from '../../components/list.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { hostOf } from '../../lib/format.ts'
import { hrefOf, useSearch } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useAnswer } from '../../lib/use-answer.ts'
import { PageTitle } from '../frame.tsx'
import { DeliveriesTab } from './deliveries-tab.tsx'
import { EventsTab } from './events-tab.tsx'
import { WebhookBadge } from './health.tsx'
import { KeysTab } from './keys-tab.tsx'
import { ReplaysTab } from './replays-tab.tsx'
import { SettingsTab } from './settings-tab.tsx'
import { StateBanner } from './state-banner.tsx'

const tabs = [
  { name: 'deliveries', words: 'Deliveries' },
  { name: 'events', words: 'Events and simulate' },
  { name: 'replays', words: 'Replays' },
  { name: 'keys', words: 'Signing keys' },
  { name: 'settings', words: 'Settings' },
] as const

const refreshed_every_ms = 5_000

/** One webhook: its state above everything, then what was sent, and what can be changed. */
export function WebhookPage({ id }: { id: string }) {
  const [search, setSearch] = useSearch()
  const answered = useAnswer(stint.webhooks.get, { webhook_id: id }, refreshed_every_ms)
  const { value: webhook, error, reload, set } = answered
  const tab = tabs.find(({ name }) => name === search.get('tab'))?.name ?? 'deliveries'
  const back = { to: '/webhooks', words: 'Webhooks' }
  if (!webhook) {
    return (
      <>
        <PageTitle title="Webhook" back={back} />
        {error ? <Failed error={error} reload={reload} /> : <Skeleton rows={6} />}
      </>
    )
  }
  const title = webhook.name || hostOf(webhook.url)
  const panels = {
    deliveries: <DeliveriesTab webhook={webhook} reload={reload} />,
    events: <EventsTab webhook={webhook} />,
    replays: <ReplaysTab webhook={webhook} />,
    keys: <KeysTab webhook={webhook} reload={reload} />,
    settings: <SettingsTab webhook={webhook} onChange={set} />,
  }
  return (
    <>
      <PageTitle
        title={title}
        back={back}
        beside={<WebhookBadge webhook={webhook} />}
        lead={
          <p>
            <bdi>{webhook.url}</bdi>
            {webhook.description ? <> · {webhook.description}</> : null}
          </p>
        }
      />
      <StateBanner webhook={webhook} onChange={set} />
      <Tabs
        label="Views of the webhook"
        tabs={tabs}
        current={tab}
        hrefOf={(name) => hrefOf(`/webhooks/${id}?tab=${name}`)}
        onChoose={(name) => setSearch({ tab: name === 'deliveries' ? null : name, delivery: null })}
      />
      {panels[tab]}
    </>
  )
}
