import { Code } from '../../components/code.tsx'
import { List } from '../../components/list.tsx'
import { SelectField } from '../../components/select-field.tsx'
import type { Column } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { hostOf } from '../../lib/format.ts'
import type { Webhook } from '../../lib/nouns.ts'
import { Link, useSearch } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useList } from '../../lib/use-answer.ts'
import { curlOf } from '../curl.ts'
import { PageTitle } from '../frame.tsx'
import { useMe } from '../me.tsx'
import { errorWords, WebhookBadge } from './health.tsx'

const statuses = [
  { value: '', words: 'All webhooks' },
  { value: 'active', words: 'Active' },
  { value: 'disabled', words: 'Disabled' },
]

export function WebhooksPage() {
  const { can } = useMe()
  const [search, setSearch] = useSearch()
  const status = search.get('status') ?? ''
  const list = useList(stint.webhooks.list, status === 'active' || status === 'disabled' ? { statuses: [status] } : {})
  const mayWrite = can('webhooks:write')
  // A person who opens the list looks for what is broken.
  const rows = list.rows?.toSorted((a, b) => rank(a) - rank(b)) ?? null
  return (
    <>
      <PageTitle
        title="Webhooks"
        lead={<p>Receivers that are told of events as they happen.</p>}
        actions={
          mayWrite ? (
            <Link className="button primary" to="/webhooks/new" aria-keyshortcuts="c">
              New webhook
            </Link>
          ) : null
        }
      />
      <div className="filters">
        <SelectField
          label="Show"
          options={statuses}
          value={status}
          onChange={(event) => setSearch({ status: event.currentTarget.value })}
        />
      </div>
      <List
        list={{ ...list, rows }}
        label="Webhooks"
        one="webhook"
        columns={columns}
        clearFilters={status ? () => setSearch({ status: null }) : undefined}
        empty={<NoWebhook mayWrite={mayWrite} />}
      />
    </>
  )
}

const rank = ({ status, consecutive_failures }: Webhook) =>
  status === 'disabled' ? 0 : consecutive_failures > 0 ? 1 : 2

const columns: readonly Column<Webhook>[] = [
  {
    ...{ head: 'Receiver', look: 'main' },
    cell: ({ id, name, url }) => (
      <>
        <Link to={`/webhooks/${id}`}>
          <bdi>{name || hostOf(url)}</bdi>
        </Link>
        <span className="under">
          <bdi>{url}</bdi>
        </span>
      </>
    ),
  },
  {
    head: 'Status',
    cell: (webhook) => (
      <>
        <WebhookBadge webhook={webhook} />
        {webhook.status === 'disabled' && webhook.last_error ? (
          <span className="under">{errorWords(webhook.last_error.class, webhook.last_error.response_status)}</span>
        ) : null}
      </>
    ),
  },
  { ...{ head: 'Events', look: 'number' }, cell: ({ events }) => events.length },
  {
    ...{ head: 'Failures in a row', look: 'number' },
    cell: ({ consecutive_failures }) => consecutive_failures,
  },
  {
    head: 'Waiting',
    cell: ({ backlog: { pending, held } }) =>
      pending + held === 0 ? <span className="none">–</span> : waitingWords(pending, held),
  },
  { head: 'Last attempt', cell: ({ last_attempt_at }) => <Time at={last_attempt_at} none="never" /> },
]

const waitingWords = (pending: number, held: number) =>
  [pending > 0 && `${pending} under way`, held > 0 && `${held} held`].filter(Boolean).join(', ')

function NoWebhook({ mayWrite }: { mayWrite: boolean }) {
  const { base_url } = useMe()
  const body = { url: 'https://receiver.example.org/hooks/stint', events: ['contract.created'] }
  return (
    <>
      <h2>No webhook yet</h2>
      <p>A webhook sends events to an address of yours within a second, signed, and again until they arrive.</p>
      {mayWrite ? (
        <p>
          <Link className="button primary" to="/webhooks/new">
            Create the first webhook
          </Link>
        </p>
      ) : null}
      <p>Or on a command line:</p>
      <Code text={curlOf(base_url, 'POST', '/webhooks', body)} what="call that creates a webhook" />
    </>
  )
}
