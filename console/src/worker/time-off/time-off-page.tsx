import { useState } from 'react'
import type { Entitlement, TimeOff } from '#sdk/index.ts'
import { PageTitle } from '../../app/frame.tsx'
import { Banner } from '../../components/banner.tsx'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Day } from '../../components/date.tsx'
import { List } from '../../components/list.tsx'
import { Status } from '../../components/status.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { dayOf } from '../../lib/format.ts'
import { stint } from '../../lib/service.ts'
import { useList } from '../../lib/use-answer.ts'
import { TimeOffForm } from './time-off-form.tsx'

/** The days that are left, the days that were asked for, and asking for more. */
export function TimeOffPage() {
  const balances = useList(stint.worker.list_time_off_entitlements, {}, ({ policy }) => policy?.id ?? '')
  const list = useList(stint.worker.list_time_offs, {})
  const [shown, setShown] = useState<'ask' | TimeOff | null>(null)
  const policies = balances.rows ?? []
  const reload = () => {
    list.reload()
    balances.reload()
  }
  return (
    <>
      <PageTitle
        title="Time off"
        actions={policies.length > 0 ? <Button onClick={() => setShown('ask')}>Ask for time off</Button> : null}
      />
      {balances.rows?.length === 0 ? (
        <Banner tone="info" title="There are no rules for time off yet, so none can be asked for here." />
      ) : null}
      {policies.length > 0 ? (
        <section aria-labelledby="left">
          <h2 id="left">Days of this year</h2>
          <Table
            label="Days of this year"
            columns={balance_columns}
            rows={policies}
            idOf={({ policy }) => policy?.id ?? ''}
          />
        </section>
      ) : null}
      <section aria-labelledby="asked">
        <h2 id="asked">Asked for</h2>
        <List
          list={list}
          label="Time off"
          one="absence"
          columns={[
            ...columns,
            {
              ...{ head: 'Actions', look: 'actions' },
              cell: (item) =>
                item.status === 'requested' || item.status === 'approved' ? (
                  <Button look="secondary" size="small" onClick={() => setShown(item)}>
                    Cancel
                  </Button>
                ) : null,
            },
          ]}
          empty={<p>No time off was asked for yet.</p>}
        />
      </section>
      {shown === 'ask' ? (
        <TimeOffForm
          policies={policies}
          onSaved={(item) => {
            list.put(item)
            balances.reload()
            setShown(null)
          }}
          onClose={() => setShown(null)}
        />
      ) : shown ? (
        <ConfirmDialog
          title="Cancel this time off?"
          action="Cancel the time off"
          onClose={() => setShown(null)}
          onConfirm={async () => {
            await stint.worker.cancel_time_off({ time_off_id: shown.id })
            reload()
          }}
        >
          <p>
            {shown.policy?.name ?? 'Time off'} from {dayOf(shown.start_date)} to {dayOf(shown.end_date)}. Approved time
            off can be cancelled until it begins.
          </p>
        </ConfirmDialog>
      ) : null}
    </>
  )
}

const daysOf = (days: string | null) => (days === null ? 'no limit' : days)

const balance_columns: readonly Column<Entitlement>[] = [
  { ...{ head: 'Kind', look: 'main' }, cell: ({ policy }) => <bdi>{policy?.name}</bdi> },
  { ...{ head: 'Allowed', look: 'number' }, cell: ({ allowance }) => daysOf(allowance) },
  { ...{ head: 'Taken', look: 'number' }, cell: ({ used }) => used },
  { ...{ head: 'Approved', look: 'number' }, cell: ({ approved }) => approved },
  { ...{ head: 'Asked for', look: 'number' }, cell: ({ requested }) => requested },
  {
    ...{ head: 'Left', look: 'number' },
    cell: ({ available }) => <strong>{daysOf(available)}</strong>,
  },
]

const columns: readonly Column<TimeOff>[] = [
  {
    ...{ head: 'When', look: 'main' },
    cell: ({ start_date, end_date, reason }) => (
      <>
        <span>
          <Day value={start_date} />
          {end_date === start_date ? null : (
            <>
              {' – '}
              <Day value={end_date} />
            </>
          )}
        </span>
        {reason ? (
          <span className="under">
            <bdi>{reason}</bdi>
          </span>
        ) : null}
      </>
    ),
  },
  { head: 'Kind', cell: ({ policy }) => <bdi>{policy?.name}</bdi> },
  { ...{ head: 'Days', look: 'number' }, cell: ({ days }) => days },
  {
    head: 'Status',
    cell: ({ status, review }) => (
      <>
        <Status value={status} />
        {status === 'rejected' && review?.reason ? (
          <span className="under">
            <bdi>{review.reason}</bdi>
          </span>
        ) : null}
      </>
    ),
  },
]
