import type { Payment } from '#sdk/index.ts'
import { DateField } from '../../components/date-field.tsx'
import { Expandable } from '../../components/expandable.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Failed } from '../../components/list.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Table } from '../../components/table.tsx'
import { TextField } from '../../components/text-field.tsx'
import { faultAt, isOfNoField } from '../../lib/faults.ts'
import { amountOf, countOf } from '../../lib/format.ts'
import { goTo, Link } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useAnswer } from '../../lib/use-answer.ts'
import { textOf, useSubmit } from '../../lib/use-submit.ts'
import { Amount } from '../amount.tsx'
import { NoAccount, releasedWords } from './no-account.tsx'

const fields = ['/reference', '/value_date', '/external_id'] as const

/** Shows what a payment would be, as the service itself rehearses it, and makes it once. */
export function PayDialog({ invoice_ids, onClose }: { invoice_ids: readonly string[]; onClose(): void }) {
  const { submit, isBusy, error } = useSubmit(async (form, keyed) => {
    const given = (name: string) => textOf(form, name).trim() || null
    const body = { reference: given('reference'), value_date: given('value_date'), external_id: given('external_id') }
    const { id } = await stint.payments.create({ invoice_ids, ...body }, keyed)
    onClose()
    goTo(`/payments/${id}`)
  })
  // Not while it is made: its invoices are not pending any more then.
  const rehearsed = useAnswer(rehearse, isBusy ? null : { invoice_ids })
  const payment = rehearsed.value
  const mustWait = payment?.status === 'pending_approval'
  return (
    <FormDialog
      title={`Pay ${countOf(invoice_ids.length, 'invoice')}`}
      action={mustWait ? 'Send for approval' : payWords(payment)}
      submit={submit}
      isBusy={isBusy}
      isReady={payment !== null}
      error={isOfNoField(error, fields) ? error : null}
      onClose={onClose}
    >
      {payment ? (
        <>
          <p className="amount-due">
            <Amount amount={payment.total} currency={payment.currency} />
          </p>
          <NoAccount payment={payment} />
          <Paid payment={payment} />
          <p className="hint">
            {mustWait
              ? `Another person has to approve it first. ${releasedWords(payment)}`
              : `${releasedWords(payment)} It cannot be withdrawn.`}
          </p>
          <TextField
            label="Reference (optional)"
            name="reference"
            maxLength={140}
            hint="Words on the statement."
            fault={faultAt(error, '/reference')}
          />
          <div className="pair">
            <DateField
              label="To arrive on (optional)"
              name="value_date"
              hint="From today to 90 days ahead."
              fault={faultAt(error, '/value_date')}
            />
            <TextField
              label="Own id (optional)"
              name="external_id"
              hint="Its name in your books."
              fault={faultAt(error, '/external_id')}
            />
          </div>
        </>
      ) : rehearsed.error ? (
        <Failed error={rehearsed.error} reload={rehearsed.reload} />
      ) : (
        <Skeleton rows={3} />
      )}
    </FormDialog>
  )
}

const unfolded_max = 5
const listed_max = 100

/** The invoices, folded up where they would push the button that pays out of sight. */
function Paid({ payment: { invoices, currency } }: { payment: Payment }) {
  const rest = invoices.length - listed_max
  const table = (
    <Table
      label="Invoices of the payment"
      rows={invoices.slice(0, listed_max)}
      idOf={({ invoice_id }) => invoice_id}
      columns={[
        {
          ...{ head: 'Invoice', look: 'main' },
          cell: ({ invoice_id, number, worker_email }) => (
            <>
              <Link to={`/invoices/${invoice_id}`}>{number}</Link>
              <span className="under">
                <bdi>{worker_email}</bdi>
              </span>
            </>
          ),
        },
        {
          ...{ head: 'Total', look: 'number' },
          cell: ({ total }) => <Amount amount={total} currency={currency} />,
        },
      ]}
    />
  )
  return invoices.length > unfolded_max ? (
    <Expandable summary={`Show the ${invoices.length} invoices`}>
      {table}
      {rest > 0 ? <p className="hint">and {rest} more</p> : null}
    </Expandable>
  ) : (
    table
  )
}

const payWords = (payment: Payment | null) =>
  payment?.total ? `Pay ${amountOf(payment.total)} ${payment.currency}` : 'Pay'

const rehearse = (input: { invoice_ids: readonly string[] }) => stint.payments.create(input, { dry_run: true })
