import { useState } from 'react'
import type { TimeOff, Entitlement } from '#sdk/index.ts'
import { Check } from '../../components/choice-list.tsx'
import { DateField } from '../../components/date-field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { SelectField } from '../../components/select-field.tsx'
import { TextArea } from '../../components/text-area.tsx'
import { faultAt, isOfNoField } from '../../lib/faults.ts'
import { stint } from '../../lib/service.ts'
import { textOf, useSubmit } from '../../lib/use-submit.ts'

interface TimeOffFormProps {
  policies: readonly Entitlement[]
  onSaved(item: TimeOff): void
  onClose(): void
}

const pointers = ['/policy_id', '/start_date', '/end_date', '/reason']

export function TimeOffForm({ policies, onSaved, onClose }: TimeOffFormProps) {
  const [halves, setHalves] = useState({ start_half_day: false, end_half_day: false })
  const [idempotency_key] = useState(() => crypto.randomUUID())
  const { submit, isBusy, error } = useSubmit(async (form) => {
    const text = (name: string) => textOf(form, name).trim()
    const input = {
      ...{ policy_id: text('policy_id'), start_date: text('start_date') },
      ...{ end_date: text('end_date') || text('start_date'), reason: text('reason') || null },
      ...halves,
    }
    onSaved(await stint.worker.request_time_off(input, { idempotency_key }))
  })
  const field = (name: string) => ({ name, fault: faultAt(error, `/${name}`) })
  return (
    <FormDialog
      title="Ask for time off"
      action="Ask"
      error={isOfNoField(error, pointers) ? error : null}
      {...{ submit, isBusy, onClose }}
    >
      <SelectField
        {...field('policy_id')}
        label="Kind"
        options={policies.flatMap(({ policy, available }) =>
          policy
            ? [{ value: policy.id, words: `${policy.name}${available === null ? '' : `, ${available} left`}` }]
            : [],
        )}
      />
      <div className="pair">
        <DateField {...field('start_date')} label="First day" required />
        <DateField {...field('end_date')} label="Last day (optional)" hint="Empty: one day." />
      </div>
      <div className="pair">
        <Check checked={halves.start_half_day} onChange={(start_half_day) => setHalves({ ...halves, start_half_day })}>
          Only half of the first day
        </Check>
        <Check checked={halves.end_half_day} onChange={(end_half_day) => setHalves({ ...halves, end_half_day })}>
          Only half of the last day
        </Check>
      </div>
      <TextArea {...field('reason')} label="Reason (optional)" maxLength={500} />
    </FormDialog>
  )
}
