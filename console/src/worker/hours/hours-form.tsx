import { useState } from 'react'
import type { Timesheet } from '#sdk/index.ts'
import { DateField } from '../../components/date-field.tsx'
import { decimal_field } from '../../components/decimal-field.ts'
import { FormDialog } from '../../components/form-dialog.tsx'
import { SelectField } from '../../components/select-field.tsx'
import { TextArea } from '../../components/text-area.tsx'
import { TextField } from '../../components/text-field.tsx'
import { faultAt, isOfNoField } from '../../lib/faults.ts'
import { stint } from '../../lib/service.ts'
import { textOf, useSubmit } from '../../lib/use-submit.ts'
import { contractOptions, type WorkFormProps } from '../work/work-page.tsx'

const pointers = ['/contract_id', '/start_date', '/end_date', '/quantity', '/description']

/** Hours or days of a period; the amount follows from the contract. */
export function HoursForm({ item, contracts, onSaved, onClose }: WorkFormProps<Timesheet>) {
  const [contract_id, setContract] = useState(item?.contract_id ?? contracts[0]?.id ?? '')
  const [idempotency_key] = useState(() => crypto.randomUUID())
  const contract = contracts.find(({ id }) => id === contract_id)
  const unit = contract?.compensation.scale === 'daily' ? 'Days' : 'Hours'
  const { submit, isBusy, error } = useSubmit(async (form) => {
    const text = (name: string) => textOf(form, name).trim()
    const end_date = text('end_date')
    const work = {
      ...{ start_date: text('start_date'), quantity: text('quantity').replace(',', '.') },
      ...{ description: text('description'), ...(end_date && { end_date }) },
    }
    onSaved(
      item
        ? await stint.worker.update_timesheet({ timesheet_id: item.id, ...work })
        : await stint.worker.create_timesheet({ contract_id, ...work }, { idempotency_key }),
    )
  })
  const field = (name: string) => ({ name, fault: faultAt(error, `/${name}`) })
  return (
    <FormDialog
      title={item ? 'Change what you handed in' : 'Hand in hours'}
      action={item ? 'Save changes' : 'Hand in'}
      error={isOfNoField(error, pointers) ? error : null}
      {...{ submit, isBusy, onClose }}
    >
      <SelectField
        {...field('contract_id')}
        label="Contract"
        options={contractOptions(contracts)}
        value={contract_id}
        disabled={item !== undefined}
        onChange={(event) => setContract(event.currentTarget.value)}
      />
      <div className="pair">
        <DateField {...field('start_date')} label="First day" required defaultValue={item?.start_date} />
        <DateField
          {...field('end_date')}
          label="Last day (optional)"
          hint="Empty: the same day."
          defaultValue={item?.end_date}
        />
      </div>
      <TextField
        {...field('quantity')}
        label={unit}
        required
        {...decimal_field}
        hint={`Such as ${unit === 'Days' ? '4.5' : '38.5'}.`}
        defaultValue={item?.quantity}
      />
      <TextArea
        {...field('description')}
        label="What you did"
        required
        maxLength={2_000}
        defaultValue={item?.description}
      />
    </FormDialog>
  )
}
