import type { Payment } from '#sdk/index.ts'
import { Day } from '../../components/date.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { Failed } from '../../components/list.tsx'
import { Moment } from '../../components/moment.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { countOf } from '../../lib/format.ts'
import { Link } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useAnswer } from '../../lib/use-answer.ts'
import { AsCurl } from '../as-curl.tsx'
import '../../styles/money.css'
import { Amount } from '../amount.tsx'
import { PageTitle } from '../frame.tsx'
import { ObjectEvents } from '../object-events.tsx'
import { Breakdown } from './breakdown.tsx'
import { NextStep } from './next-step.tsx'
import { PaymentStatus } from './payment-status.tsx'

const back = { to: '/payments', words: 'Payments' }
/** A second person, or the provider, may move it while it is looked at. */
const refreshed_every_ms = 5_000

export function PaymentPage({ id }: { id: string }) {
  const { value: payment, error, reload, set } = useAnswer(stint.payments.get, { payment_id: id }, refreshed_every_ms)
  if (!payment) {
    return (
      <>
        <PageTitle title="Payment" back={back} />
        {error ? <Failed error={error} reload={reload} /> : <Skeleton rows={6} />}
      </>
    )
  }
  const { number, status, total, currency, invoices } = payment
  return (
    <>
      <PageTitle
        title={number}
        back={back}
        beside={<PaymentStatus payment={payment} />}
        lead={
          <p>
            <strong className="lead-amount">
              <Amount amount={total} currency={currency} />
            </strong>{' '}
            for {countOf(invoices.length, 'invoice')}
          </p>
        }
      />
      <NextStep payment={payment} onChange={set} />
      <section className="panel" aria-labelledby="course">
        <h2 id="course">Course</h2>
        <Course payment={payment} />
      </section>
      <Breakdown payment={payment} />
      <section className="panel" aria-labelledby="details">
        <h2 id="details">Details</h2>
        <Facts>
          <Fact name="Provider">{payment.provider === 'manual' ? 'Your bank, by hand' : payment.provider}</Fact>
          <Fact name="Reference">
            {payment.reference === null ? <span className="none">–</span> : <bdi>{payment.reference}</bdi>}
          </Fact>
          <Fact name={status === 'completed' ? 'Arrived on' : 'To arrive on'}>
            <Day value={payment.value_date} />
          </Fact>
          <Fact name="Fee">
            <Amount amount={payment.fee} currency={currency} />
          </Fact>
          {payment.external_id !== null ? (
            <Fact name="Own id">
              <bdi>{payment.external_id}</bdi>
            </Fact>
          ) : null}
        </Facts>
        <p className="toolbar">
          <AsCurl method="GET" path={`/payments/${id}`} />
          <Link to={`/ledger?tab=transactions&source=${id}`}>Its postings in the ledger</Link>
        </p>
      </section>
      <ObjectEvents id={id} />
    </>
  )
}

interface Step {
  words: string
  at: string | null
  by?: string | undefined
  text?: string | null
  look?: 'succeeded' | 'failed' | undefined
}

/** The way of the money: what has happened, and what is still to come. */
function Course({ payment }: { payment: Payment }) {
  const { status, created_at, created_by, approved_at, approved_by, initiated_at } = payment
  const isManual = payment.provider === 'manual'
  const isWaiting = status === 'pending_approval'
  const steps: (Step | false)[] = [
    { words: 'Made', at: created_at, by: created_by.name, look: 'succeeded' },
    (approved_at !== null || isWaiting) && {
      words: isWaiting ? 'Waits for a second person' : 'Approved',
      ...{ at: approved_at, by: approved_by?.name, look: isWaiting ? undefined : 'succeeded' },
    },
    initiated_at !== null && {
      words: isManual ? 'Released' : 'On its way',
      at: initiated_at,
      look: 'succeeded',
    },
    status === 'completed' && { words: 'Arrived', at: payment.completed_at, look: 'succeeded' },
    status === 'failed' && { words: 'Failed', at: payment.failed_at, text: payment.failure_reason, look: 'failed' },
    status === 'cancelled' && { words: 'Withdrawn', at: payment.cancelled_at, text: payment.cancel_reason },
    status === 'processing' && {
      words: isManual ? 'To be paid through your bank, then recorded here' : 'Arrives',
      at: null,
    },
  ]
  return (
    <ol className="timeline">
      {steps
        .filter((one) => one !== false)
        .map(({ words, at, by, text, look }) => (
          <li key={words} className={look} aria-current={at === null ? 'step' : undefined}>
            <strong>{words}</strong> {at === null ? null : <Moment at={at} />}
            {by ? (
              <>
                {' '}
                by <bdi>{by}</bdi>
              </>
            ) : null}
            {text ? (
              <p>
                <bdi>{text}</bdi>
              </p>
            ) : null}
          </li>
        ))}
    </ol>
  )
}
