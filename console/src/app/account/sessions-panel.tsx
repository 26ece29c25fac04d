import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { ErrorBanner } from '../../components/error-banner.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { usePress } from '../../lib/use-press.ts'
import { browserOf, account as endpoints, type SignedInSession } from './account.ts'
import type { PanelProps } from './recovery-panel.tsx'

/** Browsers in which this account is signed in. Ending asks nothing: taking access away is never held up. */
export function SessionsPanel({ account: { sessions }, reload }: PanelProps) {
  const others = usePress(async () => {
    await endpoints.endOtherSessions()
    reload()
  })
  const actions: Column<SignedInSession> = {
    ...{ head: 'Actions', look: 'actions' },
    cell: (session) => (session.is_current ? null : <EndButton session={session} reload={reload} />),
  }
  return (
    <section className="panel">
      <h2>Sessions</h2>
      <p>Where you are signed in. If you do not know one of them, end it and change your password.</p>
      <Table label="Sessions" columns={[...columns, actions]} rows={sessions} />
      {others.error ? <ErrorBanner error={others.error} /> : null}
      {sessions.length > 1 ? (
        <div className="actions">
          <Button look="secondary" size="small" isBusy={others.isBusy} onClick={others.press}>
            End all others
          </Button>
        </div>
      ) : null}
    </section>
  )
}

function EndButton({ session: { id, user_agent }, reload }: { session: SignedInSession; reload(): void }) {
  const { press, isBusy, error } = usePress(async () => {
    await endpoints.endSession(id)
    reload()
  })
  return (
    <>
      <Button look="secondary" size="small" isBusy={isBusy} onClick={press}>
        End<span className="only-read"> the session of {browserOf(user_agent)}</span>
      </Button>
      {error ? <span className="fault">{error.message}</span> : null}
    </>
  )
}

const columns: readonly Column<SignedInSession>[] = [
  {
    ...{ head: 'Browser', look: 'main' },
    cell: ({ user_agent, is_current }) => (
      <>
        <strong title={user_agent ?? undefined}>{browserOf(user_agent)}</strong>{' '}
        {is_current ? <Badge tone="good">this one</Badge> : null}
      </>
    ),
  },
  { head: 'Address', cell: ({ address }) => <bdi>{address ?? '–'}</bdi> },
  { head: 'Signed in', cell: ({ created_at }) => <Time at={created_at} /> },
  { head: 'Last used', cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
]
