import { type ReactNode, useState } from 'react'
import { DateField } from '../../components/date-field.tsx'
import { MoneyField } from '../../components/money-field.tsx'
import { SelectField } from '../../components/select-field.tsx'
import { TextArea } from '../../components/text-area.tsx'
import { TextField } from '../../components/text-field.tsx'
import type { ApiError } from '../../lib/api.ts'
import { faultAt } from '../../lib/faults.ts'
import type { Values } from './values.ts'
import { type ContractType, cycleEnds, type Frequency, frequencies, prorations } from './words.ts'

export interface FieldsProps {
  type: ContractType
  values: Values
  error: ApiError | null
  /** The place in the request that the service names for a field of this name. */
  pointerTo(field: string): string
}

const field_names = [
  ...['amount', 'currency', 'scale', 'frequency', 'cycle_end', 'cycle_end_type', 'first_cycle_end'],
  ...['payment_due_days', 'proration', 'start_date', 'end_date', 'job_title', 'seniority', 'scope_of_work'],
  ...['special_clause', 'notice_period_days'],
] as const

/** The fields below that show a fault themselves. */
export const termsPointers = (pointerTo: (field: string) => string) => field_names.map(pointerTo)

const paid = new Set(['amount', 'currency', 'scale', 'frequency', 'cycle_end', 'cycle_end_type', 'first_cycle_end'])

/** Of a contract, whose pay is an object of its own. */
export const inContract = (field: string) =>
  paid.has(field) || field === 'payment_due_days' || field === 'proration' ? `/compensation/${field}` : `/${field}`
export const inAmendment = (field: string) => `/terms/${field}`

const scales = {
  pay_as_you_go: [
    { value: 'hourly', words: 'Hour' },
    { value: 'daily', words: 'Day' },
  ],
  employee: [
    { value: 'monthly', words: 'Month' },
    { value: 'hourly', words: 'Hour' },
    { value: 'yearly', words: 'Year' },
  ],
}

/** The cast holds because forms and contracts name no other. */
const frequencyOf = ({ frequency }: Values) => (frequency || 'monthly') as Frequency

/** Another period of a fixed rate is another pay, unless the amount changes with it. */
const rateHint = (values: Values, frequency: Frequency) =>
  values.frequency && values.frequency !== frequency && 'id' in values
    ? 'The rate is now for one such period: check the amount.'
    : 'The rate is for one such period.'

/** The pay: how much, for what, and how often. `currency` is what the amount is in, or the field that asks for it. */
export function PayFields({
  type,
  values,
  error,
  pointerTo,
  currency,
}: FieldsProps & { currency: string | ReactNode }) {
  const [frequency, setFrequency] = useState(frequencyOf(values))
  const fault = (field: string) => faultAt(error, pointerTo(field))
  const scale = type === 'pay_as_you_go' || type === 'employee' ? scales[type] : null
  return (
    <>
      <div className="pair">
        {type === 'milestone' ? null : (
          <MoneyField
            label={type === 'employee' ? 'Salary' : 'Rate'}
            name="amount"
            required
            defaultValue={values.amount}
            currency={typeof currency === 'string' ? currency : undefined}
            fault={fault('amount')}
          />
        )}
        {typeof currency === 'string' ? null : currency}
        {scale ? (
          <SelectField
            label="For each"
            name="scale"
            options={scale}
            defaultValue={values.scale || scale[0]?.value}
            fault={fault('scale')}
          />
        ) : null}
        {type === 'employee' ? null : (
          <>
            <SelectField
              label="Paid"
              name="frequency"
              options={frequencies}
              value={frequency}
              // The cast holds because the options are the frequencies there are.
              onChange={(event) => setFrequency(event.currentTarget.value as Frequency)}
              hint={type === 'fixed_rate' ? rateHint(values, frequency) : undefined}
              fault={fault('frequency')}
            />
            <SelectField
              key={frequency}
              label="A period ends"
              name="cycle_end"
              options={cycleEnds(frequency)}
              defaultValue={frequency === values.frequency ? values.cycle_end : undefined}
              fault={fault('cycle_end') ?? fault('cycle_end_type')}
            />
          </>
        )}
      </div>
      {'first_cycle_end' in values && frequency === 'biweekly' ? (
        <DateField
          label="First period ends (optional)"
          name="first_cycle_end"
          hint="One of the two such weekdays in the first fortnight; left empty, the second."
          defaultValue={values.first_cycle_end}
          fault={fault('first_cycle_end')}
        />
      ) : null}
    </>
  )
}

/** Further terms of the pay, with defaults that suit most. */
export function PayDetails({ type, values, error, pointerTo }: FieldsProps) {
  if (type === 'employee') return null
  return (
    <>
      <div className="pair">
        <TextField
          label="Due after, in days"
          name="payment_due_days"
          inputMode="numeric"
          hint="Counted from the invoice."
          defaultValue={values.payment_due_days || '7'}
          fault={faultAt(error, pointerTo('payment_due_days'))}
        />
        <SelectField
          label="Days due on a weekend"
          name="pay_before_weekends"
          options={[
            { value: '', words: 'Stay as they are' },
            { value: 'true', words: 'Move to the Friday before' },
          ]}
          defaultValue={values.pay_before_weekends}
        />
      </div>
      <SelectField
        label="A part of a period is paid"
        name="proration"
        options={prorations}
        hint="When the contract begins, changes or ends within a period."
        defaultValue={values.proration || 'calendar_days'}
        fault={faultAt(error, pointerTo('proration'))}
      />
    </>
  )
}

/** The work, and what else both agree on. */
export function WorkFields({ values, error, pointerTo }: FieldsProps) {
  const fault = (field: string) => faultAt(error, pointerTo(field))
  return (
    <>
      <div className="pair">
        <TextField
          label="Job title (optional)"
          name="job_title"
          maxLength={150}
          defaultValue={values.job_title}
          fault={fault('job_title')}
        />
        <TextField
          label="Seniority (optional)"
          name="seniority"
          maxLength={100}
          defaultValue={values.seniority}
          fault={fault('seniority')}
        />
      </div>
      <TextArea
        label="Scope of work (optional)"
        name="scope_of_work"
        rows={4}
        maxLength={20_000}
        defaultValue={values.scope_of_work}
        fault={fault('scope_of_work')}
      />
      <TextArea
        label="Special clause (optional)"
        name="special_clause"
        rows={3}
        maxLength={20_000}
        hint="Agreed beside the standard terms."
        defaultValue={values.special_clause}
        fault={fault('special_clause')}
      />
      <TextField
        label="Notice, in days"
        name="notice_period_days"
        inputMode="numeric"
        hint="Recorded; nothing is enforced by it."
        defaultValue={values.notice_period_days || '0'}
        fault={fault('notice_period_days')}
      />
    </>
  )
}
