import type { ReactNode } from 'react'
import type { Payment } from '#sdk/index.ts'
import { DateField } from '../../components/date-field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { MoneyField } from '../../components/money-field.tsx'
import { TextField } from '../../components/text-field.tsx'
import type { ApiError } from '../../lib/api.ts'
import { faultAt, isOfNoField } from '../../lib/faults.ts'
import { countOf } from '../../lib/format.ts'
import { stint } from '../../lib/service.ts'
import { type Keyed, textOf, useSubmit } from '../../lib/use-submit.ts'
import { Amount } from '../amount.tsx'
import { useToday } from '../use-today.ts'
import { NoAccount, releasedWords } from './no-account.tsx'

interface StepProps {
  payment: Payment
  onChange(payment: Payment): void
  onClose(): void
}

type Given = (name: string) => string | undefined

interface StepDialogProps extends StepProps {
  title: string
  action: string
  look?: 'danger'
  fields?: readonly string[]
  /** Takes the step, with the fields that are filled in. */
  step(given: Given, keyed: Keyed): Promise<Payment>
  children(error: ApiError | null): ReactNode
}

/** Each opened dialog takes its step once, however often it is pressed. */
function StepDialog({ title, action, look, fields = [], step, onChange, onClose, children }: StepDialogProps) {
  const { submit, isBusy, error } = useSubmit(async (form, keyed) => {
    const given = (name: string) => textOf(form, name).trim() || undefined
    onChange(await step(given, keyed))
    onClose()
  })
  return (
    <FormDialog
      {...{ title, action, submit, isBusy, onClose }}
      {...(look && { look })}
      error={isOfNoField(error, fields) ? error : null}
    >
      {children(error)}
    </FormDialog>
  )
}

export function ApproveDialog(props: StepProps) {
  const { id: payment_id, number, total, currency, invoices, created_by } = props.payment
  return (
    <StepDialog
      {...props}
      title={`Approve ${number}?`}
      action="Approve"
      step={(_, keyed) => stint.payments.approve({ payment_id }, keyed)}
    >
      {() => (
        <>
          <p className="amount-due">
            <Amount amount={total} currency={currency} />
          </p>
          <p>
            For {countOf(invoices.length, 'invoice')}, made by <bdi>{created_by.name}</bdi>, released under your name.{' '}
            {releasedWords(props.payment)}
          </p>
          <NoAccount payment={props.payment} />
        </>
      )}
    </StepDialog>
  )
}

export function WithdrawDialog(props: StepProps) {
  const { id: payment_id, number } = props.payment
  return (
    <StepDialog
      {...props}
      title={`Withdraw ${number}?`}
      action="Withdraw payment"
      look="danger"
      fields={['/reason']}
      step={(given, keyed) => stint.payments.cancel({ payment_id, reason: given('reason') }, keyed)}
    >
      {(error) => (
        <>
          <p>Nothing is paid, and its invoices are pending again.</p>
          <TextField label="Reason (optional)" name="reason" maxLength={500} fault={faultAt(error, '/reason')} />
        </>
      )}
    </StepDialog>
  )
}

export function SettleDialog(props: StepProps) {
  const { id: payment_id, number, currency, reference } = props.payment
  const today = useToday()
  return (
    <StepDialog
      {...props}
      title={`Settle ${number}`}
      action="Record settlement"
      fields={['/fee', '/value_date', '/reference']}
      step={(given, keyed) =>
        stint.payments.settle(
          { payment_id, fee: given('fee'), value_date: given('value_date'), reference: given('reference') },
          keyed,
        )
      }
    >
      {(error) => (
        <>
          <p>The money has arrived: its invoices, and all that they collected, become paid.</p>
          <div className="pair">
            <DateField
              label="Arrived on"
              name="value_date"
              key={today}
              defaultValue={today ?? undefined}
              max={today ?? undefined}
              fault={faultAt(error, '/value_date')}
            />
            <MoneyField
              label="Fee of the bank (optional)"
              name="fee"
              currency={currency}
              placeholder="0"
              fault={faultAt(error, '/fee')}
            />
          </div>
          <TextField
            label="Reference (optional)"
            name="reference"
            maxLength={140}
            defaultValue={reference ?? ''}
            hint="Words on the statement."
            fault={faultAt(error, '/reference')}
          />
        </>
      )}
    </StepDialog>
  )
}

export function FailDialog(props: StepProps) {
  const { id: payment_id, number } = props.payment
  return (
    <StepDialog
      {...props}
      title={`${number} did not arrive`}
      action="Record failure"
      look="danger"
      fields={['/reason']}
      step={(given, keyed) => stint.payments.fail({ payment_id, reason: given('reason') ?? '' }, keyed)}
    >
      {(error) => (
        <>
          <p>Its postings are reversed, and its invoices are pending again.</p>
          <TextField
            label="Reason"
            name="reason"
            required
            maxLength={500}
            placeholder="The account is closed."
            fault={faultAt(error, '/reason')}
          />
        </>
      )}
    </StepDialog>
  )
}
