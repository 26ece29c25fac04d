import type { TimeOff } from '#sdk/index.ts'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { Failed } from '../../components/list.tsx'
import { Moment } from '../../components/moment.tsx'
import { SaidBy } from '../../components/said-by.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Status } from '../../components/status.tsx'
import { Withheld } from '../../components/withheld.tsx'
import { Link } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useAnswer } from '../../lib/use-answer.ts'
import { AsCurl } from '../as-curl.tsx'
import { useMe } from '../me.tsx'
import { ObjectEvents } from '../object-events.tsx'
import { Period } from '../work-items/period.tsx'
import type { Decision } from './decide-dialog.tsx'
import { daysWords, leaveWords } from './words.ts'

interface TimeOffDrawerProps {
  id: string
  /** The row of the list, if it is there: it is shown until all of it has come. */
  known: TimeOff | undefined
  onDecide(item: TimeOff, decision: Decision): void
  onEdit(item: TimeOff): void
  onClose(): void
}

/** All of one absence. */
export function TimeOffDrawer({ id, known, onClose, ...doing }: TimeOffDrawerProps) {
  const { value, error, reload } = useAnswer(stint.time_offs.get, { time_off_id: id })
  const item = value ?? known
  return (
    <Dialog title="Time off" look="drawer" onClose={onClose}>
      {error && !item ? <Failed error={error} reload={reload} /> : null}
      {!item && !error ? <Skeleton rows={6} /> : null}
      {item ? <Details item={item} {...doing} /> : null}
    </Dialog>
  )
}

function Details({ item, onDecide, onEdit }: Pick<TimeOffDrawerProps, 'onDecide' | 'onEdit'> & { item: TimeOff }) {
  const { can, sees } = useMe()
  const isSeen = sees('health_and_leave')
  const { status, review, start_half_day, end_half_day } = item
  const kind = item.leave_type && leaveWords(item.leave_type)
  return (
    <div className="stack">
      <p className="evidence-title">
        <Link to={`/people/${item.person_id}?tab=time-off`}>
          <bdi>{item.person_name}</bdi>
        </Link>{' '}
        <Status value={status} />
      </p>
      {can('time-off:write') ? <Steps item={item} onDecide={onDecide} onEdit={onEdit} /> : null}
      <Facts>
        <Fact name="Away">
          <Period start={item.start_date} end={item.end_date} />
          {start_half_day ? <span className="hint">from noon</span> : null}
          {end_half_day ? <span className="hint">until noon</span> : null}
        </Fact>
        <Fact name="Counts as">{daysWords(item.days)}</Fact>
        <Fact name="Policy">
          {isSeen ? (
            <>
              {item.policy?.name}
              {kind && kind !== item.policy?.name ? <span className="hint">{kind}</span> : null}
              {item.is_paid === false ? <span className="hint">unpaid</span> : null}
            </>
          ) : (
            <Withheld />
          )}
        </Fact>
        <Fact name="Reason">{isSeen ? <span className="words">{item.reason || '–'}</span> : <Withheld />}</Fact>
        <Fact name="Requested">
          <SaidBy at={item.created_at} by={item.requested_by} />
        </Fact>
        {review ? (
          <Fact name={review.status === 'approved' ? 'Approved' : 'Rejected'}>
            <SaidBy at={review.reviewed_at} by={review.reviewed_by} />
          </Fact>
        ) : null}
        {review?.reason ? (
          <Fact name="Words">
            <span className="words">{review.reason}</span>
          </Fact>
        ) : null}
        {item.cancelled_at ? (
          <Fact name="Cancelled">
            <Moment at={item.cancelled_at} />
            {item.cancel_reason ? <span className="words">{item.cancel_reason}</span> : null}
          </Fact>
        ) : null}
      </Facts>
      <p className="actions">
        <CopyButton text={item.id} label="Copy id" what="id of the time off" />
        <AsCurl method="GET" path={`/time-offs/${item.id}`} />
      </p>
      <ObjectEvents id={item.id} />
    </div>
  )
}

/** Only the steps that the state allows. */
function Steps({ item, onDecide, onEdit }: Pick<TimeOffDrawerProps, 'onDecide' | 'onEdit'> & { item: TimeOff }) {
  const isRequested = item.status === 'requested'
  if (!isRequested && item.status !== 'approved') return <p className="hint">It is over: nothing can be changed.</p>
  return (
    <div className="actions">
      {isRequested ? (
        <>
          <Button size="small" onClick={() => onDecide(item, 'approve')}>
            Approve
          </Button>
          <Button size="small" look="secondary" onClick={() => onDecide(item, 'reject')}>
            Reject…
          </Button>
          <Button size="small" look="secondary" onClick={() => onEdit(item)}>
            Edit
          </Button>
        </>
      ) : null}
      <Button size="small" look="secondary" onClick={() => onDecide(item, 'cancel')}>
        Cancel time off…
      </Button>
    </div>
  )
}
