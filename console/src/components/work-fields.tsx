import { useState } from 'react'
import { Check } from './choice-list.tsx'
import { DateField } from './date-field.tsx'
import { decimal_field } from './decimal-field.ts'
import { MoneyField } from './money-field.tsx'
import { TextArea } from './text-area.tsx'
import { TextField } from './text-field.tsx'

const words_max = 2_000

/** The part that all fields have alike; `fault` is what the service says of it. */
type FieldOf<Name extends string> = (
  name: Name,
  label: string,
) => { name: string; label: string; fault: string | undefined }

interface DaysProps {
  field: FieldOf<'start_date' | 'end_date'>
  item: { start_date: string; end_date: string } | undefined
  onStart?(start: string): void
}

/** From a day to a day; without a last one it is the first alone. */
function Days({ field, item, onStart }: DaysProps) {
  const [start, setStart] = useState(item?.start_date ?? '')
  return (
    <div className="pair">
      <DateField
        {...field('start_date', 'First day')}
        required
        value={start}
        onChange={({ currentTarget: { value } }) => {
          setStart(value)
          onStart?.(value)
        }}
      />
      <DateField
        {...field('end_date', 'Last day (optional)')}
        min={start || undefined}
        defaultValue={item?.end_date}
        hint="Empty: the first day."
      />
    </div>
  )
}

interface HoursFieldsProps {
  field: FieldOf<'start_date' | 'end_date' | 'quantity' | 'description'>
  item: { start_date: string; end_date: string; quantity: string; description: string } | undefined
  /** Of the contract, once it is known. */
  scale: string | null | undefined
  /** Over the description. */
  about: string
}

/** Hours or days that were worked, as the worker or somebody of the organization reports them. */
export function HoursFields({ field, item, scale, about }: HoursFieldsProps) {
  return (
    <>
      <Days field={field} item={item} />
      <TextField
        {...field('quantity', scale === 'daily' ? 'Days' : scale === 'hourly' ? 'Hours' : 'Hours or days')}
        required
        {...decimal_field}
        placeholder={scale === 'daily' ? '4.5' : '38.5'}
        defaultValue={item?.quantity}
      />
      <TextArea {...field('description', about)} required maxLength={words_max} defaultValue={item?.description} />
    </>
  )
}

interface AmountFieldsProps {
  field: FieldOf<'amount' | 'date' | 'description'>
  item: { amount: string | null; date: string; description: string } | undefined
  currency: string | undefined
  /** Over the description. */
  about: string
  hint?: string | undefined
}

/** An amount beside the pay: expense, bonus or like. */
export function AmountFields({ field, item, currency, about, hint }: AmountFieldsProps) {
  return (
    <>
      <div className="pair">
        <MoneyField
          {...field('amount', 'Amount')}
          required
          currency={currency}
          defaultValue={item?.amount ?? ''}
          hint={hint}
        />
        <DateField
          {...field('date', 'Date (optional)')}
          defaultValue={item?.date}
          hint={item ? undefined : 'Empty: today. The pay period of this date collects it.'}
        />
      </div>
      <TextArea
        {...field('description', about)}
        required
        maxLength={words_max}
        rows={2}
        defaultValue={item?.description}
        placeholder="Stands on the invoice"
      />
    </>
  )
}

export interface Halves {
  start_half_day: boolean
  end_half_day: boolean
}

interface AwayFieldsProps extends DaysProps {
  halves: Halves
  setHalves(halves: Halves): void
}

/** Days on which somebody is away, the first and the last of them maybe half. */
export function AwayFields({ halves, setHalves, ...days }: AwayFieldsProps) {
  const half = (name: keyof Halves) => ({
    checked: halves[name],
    onChange: (isOn: boolean) => setHalves({ ...halves, [name]: isOn }),
  })
  return (
    <>
      <Days {...days} />
      <div className="pair">
        <Check {...half('start_half_day')}>Begins at noon</Check>
        <Check {...half('end_half_day')}>Ends at noon</Check>
      </div>
    </>
  )
}
