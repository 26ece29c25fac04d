import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { List } from '../../components/list.tsx'
import type { Column } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { entryOf, type Replay, type Webhook } from '../../lib/nouns.ts'
import { stint } from '../../lib/service.ts'
import { firstPage, useAnswer, useList } from '../../lib/use-answer.ts'
import { useMe } from '../me.tsx'
import { ReplayDialog } from './replay-dialog.tsx'

const tones = { queued: 'plain', running: 'plain', paused: 'warning', completed: 'good', cancelled: 'plain' } as const
const refreshed_every_ms = 2_000

/** Past events sent once more, with the progress of the one that runs. */
export function ReplaysTab({ webhook }: { webhook: Webhook }) {
  const { can } = useMe()
  const webhook_id = webhook.id
  const list = useList(stint.webhooks.list_replays, { webhook_id })
  // The newest is the only one that can be open.
  const { value } = useAnswer(firstPage(stint.webhooks.list_replays), { webhook_id, limit: 1 }, refreshed_every_ms)
  const [newest] = value?.data ?? []
  const [open, setOpen] = useState<'start' | Replay | null>(null)
  const rows = list.rows?.map((row) => (row.id === newest?.id ? newest : row)) ?? null
  const mayWrite = can('webhooks:write')
  const actions: Column<Replay> = {
    ...{ head: 'Actions', look: 'actions' },
    cell: (replay) =>
      replay.finished_at === null ? (
        <Button look="secondary" size="small" onClick={() => setOpen(replay)}>
          Cancel replay
        </Button>
      ) : null,
  }
  const start =
    mayWrite && webhook.status === 'active' ? (
      <Button size="small" aria-keyshortcuts="c" onClick={() => setOpen('start')}>
        New replay
      </Button>
    ) : null
  return (
    <section aria-label="Replays">
      <div className="toolbar">{start}</div>
      <List
        list={{ ...list, rows }}
        label="Replays"
        one="replay"
        columns={mayWrite ? [...columns, actions] : columns}
        empty={
          <>
            <h2>No replay yet</h2>
            <p>A replay sends what did not arrive once more, such as after a fault of the receiver.</p>
          </>
        }
      />
      {open === 'start' ? (
        <ReplayDialog webhook_id={webhook.id} onClose={() => setOpen(null)} onStarted={list.reload} />
      ) : null}
      {open !== null && open !== 'start' ? (
        <ConfirmDialog
          title="Cancel this replay?"
          action="Cancel replay"
          onClose={() => setOpen(null)}
          onConfirm={async () => {
            await stint.webhooks.cancel_replay({ webhook_id, replay_id: open.id })
            list.reload()
          }}
        >
          <p>What was sent stays sent; the rest is not.</p>
        </ConfirmDialog>
      ) : null}
    </section>
  )
}

const columns: readonly Column<Replay>[] = [
  {
    ...{ head: 'Span', look: 'main' },
    cell: ({ since, until, statuses }) => (
      <>
        <Time at={since} /> to <Time at={until} />
        <span className="under">{statuses.join(', ')}</span>
      </>
    ),
  },
  { head: 'Status', cell: ({ state }) => <Badge tone={entryOf(tones, state, 'plain')}>{state}</Badge> },
  { ...{ head: 'Found', look: 'number' }, cell: ({ matched }) => matched },
  { ...{ head: 'Made', look: 'number' }, cell: ({ created }) => created },
  { ...{ head: 'Skipped', look: 'number' }, cell: ({ skipped }) => skipped },
  { head: 'Started', cell: ({ created_at }) => <Time at={created_at} /> },
]
