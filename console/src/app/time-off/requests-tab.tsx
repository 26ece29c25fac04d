import { useState } from 'react'
import type { TimeOff } from '#sdk/index.ts'
import { Button } from '../../components/button.tsx'
import { Filters, RangeFilter, SelectFilter, useFilters } from '../../components/filters.tsx'
import { List } from '../../components/list.tsx'
import { Moment } from '../../components/moment.tsx'
import { Status } from '../../components/status.tsx'
import type { Column } from '../../components/table.tsx'
import { Withheld } from '../../components/withheld.tsx'
import { Link, useSearch } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { firstPage, useAnswer, useList } from '../../lib/use-answer.ts'
import { useMe } from '../me.tsx'
import { PersonFilter } from '../person-filter.tsx'
import { Period } from '../work-items/period.tsx'
import { DecideDialog, type Decision } from './decide-dialog.tsx'
import { RequestDialog } from './request-dialog.tsx'
import { TimeOffDrawer } from './time-off-drawer.tsx'
import { daysWords, leave_types } from './words.ts'

export const views = [
  { name: 'requested', words: 'To review', statuses: ['requested'] },
  { name: 'approved', words: 'Approved', statuses: ['approved'] },
  { name: 'over', words: 'Over', statuses: ['used', 'rejected', 'cancelled'] },
  { name: 'all', words: 'All', statuses: undefined },
] as const
export type ViewName = (typeof views)[number]['name']

const names = ['person', 'from', 'to', 'type']

interface RequestsTabProps {
  view: ViewName
  /** The page has the button; the dialog belongs to the list. */
  isAdding: boolean
  stop(): void
}

export function RequestsTab({ view, isAdding, stop }: RequestsTabProps) {
  const { can, sees } = useMe()
  const [search, setSearch] = useSearch()
  const { one, clear, count } = useFilters(names)
  const seesLeave = sees('health_and_leave')
  const type = seesLeave ? leave_types.find(({ value }) => value === one('type'))?.value : undefined
  const list = useList(stint.time_offs.list, {
    ...{ statuses: views.find(({ name }) => name === view)?.statuses, person_id: one('person') },
    ...{ date_from: one('from'), date_to: one('to'), leave_types: type && [type] },
  })
  const [decided, setDecided] = useState<{ item: TimeOff; decision: Decision } | null>(null)
  const [edited, setEdited] = useState<TimeOff | null>(null)
  const [told, setTold] = useState('')
  const mayWrite = can('time-off:write')
  const open_id = search.get('open')
  const actions: Column<TimeOff> = {
    ...{ head: 'Actions', look: 'actions' },
    cell: (item) =>
      item.status === 'requested' ? (
        <>
          <Button size="small" look="secondary" onClick={() => setDecided({ item, decision: 'approve' })}>
            Approve<span className="only-read"> {nameOf(item)}</span>
          </Button>
          <Button size="small" look="quiet" onClick={() => setDecided({ item, decision: 'reject' })}>
            Reject…<span className="only-read"> {nameOf(item)}</span>
          </Button>
        </>
      ) : null,
  }
  return (
    <>
      <Filters count={count}>
        <PersonFilter name="person" label="Person" />
        <RangeFilter label="Away" from="from" to="to" />
        {seesLeave ? (
          <SelectFilter name="type" label="Kind" options={[{ value: '', words: 'Any kind' }, ...leave_types]} />
        ) : null}
      </Filters>
      <p role="status" className={told ? 'told' : 'only-read'}>
        {told}
      </p>
      <List
        list={list}
        label="Time off"
        one="absence"
        columns={[...columns(seesLeave), ...(mayWrite ? [actions] : [])]}
        clearFilters={clear}
        isPale={({ status }) => status === 'rejected' || status === 'cancelled'}
        empty={<Empty view={view} mayWrite={mayWrite} />}
      />
      {open_id ? (
        <TimeOffDrawer
          key={open_id}
          id={open_id}
          known={list.rows?.find(({ id }) => id === open_id)}
          onClose={() => setSearch({ open: null })}
          onDecide={(item, decision) => setDecided({ item, decision })}
          onEdit={setEdited}
        />
      ) : null}
      {isAdding || edited ? (
        <RequestDialog
          {...(edited && { item: edited })}
          onClose={() => {
            stop()
            setEdited(null)
          }}
          onSaved={() => setTold(edited ? 'The request is changed.' : 'The time off is added.')}
        />
      ) : null}
      {decided ? <DecideDialog {...decided} onClose={() => setDecided(null)} onDecided={setTold} /> : null}
    </>
  )
}

const nameOf = ({ person_name, days }: TimeOff) => `${daysWords(days)} of ${person_name}`

const columns = (seesLeave: boolean): readonly Column<TimeOff>[] => [
  {
    ...{ head: 'Person', look: 'main' },
    cell: (item) => (
      <>
        <OpenLink item={item} />
        {item.reason ? <span className="under clipped">{item.reason}</span> : null}
      </>
    ),
  },
  {
    head: 'Away',
    cell: ({ start_date, end_date, days }) => (
      <>
        <Period start={start_date} end={end_date} />
        <span className="under">{daysWords(days)}</span>
      </>
    ),
  },
  { head: 'Policy', cell: ({ policy }) => (seesLeave ? policy?.name : <Withheld />) },
  {
    head: 'Status',
    cell: ({ status, review }) => (
      <>
        <Status value={status} />
        {status === 'rejected' && review?.reason ? <span className="under">{review.reason}</span> : null}
      </>
    ),
  },
  {
    head: 'Requested',
    cell: ({ created_at, requested_by }) => (
      <>
        <Moment at={created_at} />
        <span className="under">
          by <bdi>{requested_by.name}</bdi>
        </span>
      </>
    ),
  },
]

function OpenLink({ item: { id, person_name } }: { item: TimeOff }) {
  const [search] = useSearch()
  search.set('open', id)
  return (
    <Link to={`/time-off?${search}`}>
      <bdi>{person_name}</bdi>
    </Link>
  )
}

function Empty({ view, mayWrite }: { view: ViewName; mayWrite: boolean }) {
  const { value } = useAnswer(firstPage(stint.time_off_policies.list), { limit: 1 })
  return (
    <>
      <h2>{view === 'requested' ? 'No request waits' : 'None here'}</h2>
      <p>
        Workers ask for time off from their own pages.{' '}
        {mayWrite && value?.total_count === 0 ? 'Add a policy first, such as Vacation with 30 days a year.' : ''}
      </p>
      <p>
        {view === 'all' ? (
          <Link className="button secondary" to="/time-off?view=policies">
            Show policies
          </Link>
        ) : (
          <Link className="button secondary" to="/time-off?view=all">
            Show all
          </Link>
        )}
      </p>
    </>
  )
}
