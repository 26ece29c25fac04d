import { useState } from 'react'
import type { Entitlement, TimeOff } from '#sdk/index.ts'
import { FormDialog } from '../../components/form-dialog.tsx'
import { SelectField } from '../../components/select-field.tsx'
import { TextArea } from '../../components/text-area.tsx'
import { AwayFields } from '../../components/work-fields.tsx'
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
  const field = (name: string, label: string) => ({ name, label, fault: faultAt(error, `/${name}`) })
  return (
    <FormDialog
      title="Ask for time off"
      action="Ask"
      error={isOfNoField(error, pointers) ? error : null}
      {...{ submit, isBusy, onClose }}
    >
      <SelectField
        {...field('policy_id', 'Kind')}
        options={policies.flatMap(({ policy, available }) =>
          policy
            ? [{ value: policy.id, words: `${policy.name}${available === null ? '' : `, ${available} left`}` }]
            : [],
        )}
      />
      <AwayFields field={field} item={undefined} halves={halves} setHalves={setHalves} />
      <TextArea {...field('reason', 'Reason (optional)')} maxLength={500} />
    </FormDialog>
  )
}
