import { useState } from 'react'
import type { Timesheet, TimesheetsCreateInput } from '#sdk/index.ts'
import { DateField } from '../../components/date-field.tsx'
import { decimal_field } from '../../components/decimal-field.ts'
import { FormDialog } from '../../components/form-dialog.tsx'
import { TextArea } from '../../components/text-area.tsx'
import { TextField } from '../../components/text-field.tsx'
import { faultAt, isOfNoField } from '../../lib/faults.ts'
import { changesOf, valuesOf } from '../../lib/form-values.ts'
import { stint } from '../../lib/service.ts'
import { useAnswer } from '../../lib/use-answer.ts'
import { useSubmit } from '../../lib/use-submit.ts'
import { ContractPicker } from '../pickers.tsx'
import { PendingCheck } from '../work-items/pending-check.tsx'

interface TimesheetFormProps {
  item?: Timesheet
  onSaved(item: Timesheet): void
  onClose(): void
}

const names = ['contract_id', 'start_date', 'end_date', 'quantity', 'description'] as const
const pointers = names.map((name) => `/${name}`)

/** Hours or days of a worker; what they are paid follows from the contract. */
export function TimesheetForm({ item, onSaved, onClose }: TimesheetFormProps) {
  const [key] = useState(() => crypto.randomUUID())
  const [contract_id, setContract] = useState<string | null>(item?.contract_id ?? null)
  const [start, setStart] = useState(item?.start_date ?? '')
  const [isPending, setPending] = useState(false)
  const { value: contract } = useAnswer(stint.contracts.get, contract_id === null ? null : { contract_id })
  const scale = item?.scale ?? (contract?.id === contract_id ? contract?.compensation.scale : null)
  const { submit, isBusy, error } = useSubmit(async (form) => {
    const { end_date, ...values } = valuesOf(form, names)
    const given = { ...values, end_date: end_date ?? values.start_date }
    if (item) {
      const changes = changesOf(given, item)
      // The cast holds as far as the form goes; the service names the field that is missing or wrong.
      const input = { timesheet_id: item.id, ...changes } as Parameters<typeof stint.timesheets.update>[0]
      return onSaved(Object.keys(changes).length > 0 ? await stint.timesheets.update(input) : item)
    }
    const body = { ...given, auto_approve: !isPending } as TimesheetsCreateInput
    onSaved(await stint.timesheets.create(body, { idempotency_key: key }))
  })
  const field = (name: (typeof names)[number], label: string) => ({ name, label, fault: faultAt(error, `/${name}`) })
  return (
    <FormDialog
      title={item ? 'Edit timesheet' : 'Add timesheet'}
      action={item ? 'Save changes' : 'Add timesheet'}
      submit={submit}
      isBusy={isBusy}
      error={isOfNoField(error, pointers) ? error : null}
      onClose={onClose}
    >
      {item ? null : (
        <ContractPicker
          {...field('contract_id', 'Contract')}
          required
          only={{ types: ['pay_as_you_go'], statuses: ['active', 'completed', 'terminated'] }}
          hint="Only pay as you go contracts take timesheets; the others pay by themselves."
          onChoose={(choice) => setContract(choice?.id ?? null)}
        />
      )}
      <div className="pair">
        <DateField
          {...field('start_date', 'First day')}
          required
          value={start}
          onChange={(event) => setStart(event.currentTarget.value)}
        />
        <DateField
          {...field('end_date', 'Last day')}
          min={start || undefined}
          defaultValue={item?.end_date}
          hint={item ? undefined : 'Empty: the first day.'}
        />
      </div>
      <TextField
        {...field('quantity', scale === 'daily' ? 'Days' : scale === 'hourly' ? 'Hours' : 'Hours or days')}
        required
        {...decimal_field}
        placeholder="38.5"
        defaultValue={item?.quantity}
      />
      <TextArea
        {...field('description', 'Description')}
        required
        maxLength={2_000}
        defaultValue={item?.description}
        placeholder="Week 10"
      />
      {item ? null : <PendingCheck isPending={isPending} setPending={setPending} />}
    </FormDialog>
  )
}
