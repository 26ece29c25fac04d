import { useState } from 'react'
import type { Timesheet } from '#sdk/index.ts'
import { FormDialog } from '../../components/form-dialog.tsx'
import { SelectField } from '../../components/select-field.tsx'
import { HoursFields } from '../../components/work-fields.tsx'
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
  const field = (name: string, label: string) => ({ name, label, fault: faultAt(error, `/${name}`) })
  return (
    <FormDialog
      title={item ? 'Change what you handed in' : 'Hand in hours'}
      action={item ? 'Save changes' : 'Hand in'}
      error={isOfNoField(error, pointers) ? error : null}
      {...{ submit, isBusy, onClose }}
    >
      <SelectField
        {...field('contract_id', 'Contract')}
        options={contractOptions(contracts)}
        value={contract_id}
        disabled={item !== undefined}
        onChange={(event) => setContract(event.currentTarget.value)}
      />
      <HoursFields field={field} item={item} scale={contract?.compensation.scale} about="What you did" />
    </FormDialog>
  )
}
