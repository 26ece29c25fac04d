import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { List } from '../../components/list.tsx'
import type { Column } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { countOf } from '../../lib/format.ts'
import type { Grant } from '../../lib/nouns.ts'
import { plainText } from '../../lib/plain-text.ts'
import { stint } from '../../lib/service.ts'
import { useList } from '../../lib/use-answer.ts'
import { PageTitle } from '../frame.tsx'
import { useMe } from '../me.tsx'

/** Permissions that people and the organization gave to apps, and the way to end them. */
export function AppsPage() {
  const { can } = useMe()
  const list = useList(stint.oauth_grants.list, {})
  const [open, setOpen] = useState<Grant | null>(null)
  const actions: Column<Grant> = {
    ...{ head: 'Actions', look: 'actions' },
    cell: (grant) =>
      grant.revoked_at === null ? (
        <Button look="secondary" size="small" onClick={() => setOpen(grant)}>
          Disconnect<span className="only-read"> {plainText(grant.client_name)}</span>
        </Button>
      ) : null,
  }
  const lead = can('tokens:write') ? 'Every app that acts for somebody here.' : 'Apps that act for you.'
  return (
    <>
      <PageTitle title="Connected apps" lead={<p>{lead}</p>} />
      <List
        list={list}
        label="Connected apps"
        one="app"
        columns={[...columns, actions]}
        isPale={({ revoked_at }) => revoked_at !== null}
        empty={
          <>
            <h2>No app is connected</h2>
            <p>An agent or a program that connects asks for your permission on a page of this console.</p>
          </>
        }
      />
      {open ? (
        <ConfirmDialog
          title={`Disconnect ${plainText(open.client_name)}?`}
          action="Disconnect"
          onClose={() => setOpen(null)}
          onConfirm={async () => {
            await stint.oauth_grants.delete({ grant_id: open.id })
            list.reload()
          }}
        >
          <p>Its next call is refused. To act again it has to ask again.</p>
        </ConfirmDialog>
      ) : null}
    </>
  )
}

const columns: readonly Column<Grant>[] = [
  {
    ...{ head: 'App', look: 'main' },
    cell: ({ client_name, redirect_host, user_id }) => (
      <>
        <strong>
          <bdi>{plainText(client_name)}</bdi>
        </strong>{' '}
        {user_id === null ? <Badge>organization</Badge> : null}
        {redirect_host ? <span className="under">{redirect_host}</span> : null}
      </>
    ),
  },
  { head: 'Opens', cell: ({ resource }) => (resource === 'mcp' ? 'Tool server' : 'REST API') },
  {
    head: 'Access',
    cell: ({ scopes }) => (
      <details className="inline">
        <summary>{scopes.length === 1 ? scopes[0] : countOf(scopes.length, 'scope')}</summary>
        <span className="under">{scopes.join(', ')}</span>
      </details>
    ),
  },
  { head: 'Since', cell: ({ created_at }) => <Time at={created_at} /> },
  { head: 'Last used', cell: ({ last_used_at }) => <Time at={last_used_at} none="never" /> },
  {
    head: 'Ends',
    cell: ({ revoked_at, ends_at }) =>
      revoked_at ? (
        <>
          disconnected <Time at={revoked_at} />
        </>
      ) : (
        <Time at={ends_at} none="–" />
      ),
  },
]
