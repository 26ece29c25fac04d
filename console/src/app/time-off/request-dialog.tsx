import { useState } from 'react'
import type { TimeOff, TimeOffsCreateInput, TimeOffsUpdateInput } from '#sdk/index.ts'
import { Banner } from '../../components/banner.tsx'
import { Check } from '../../components/choice-list.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { SelectField } from '../../components/select-field.tsx'
import { TextArea } from '../../components/text-area.tsx'
import { AwayFields } from '../../components/work-fields.tsx'
import { faultAt, isOfNoField } from '../../lib/faults.ts'
import { changesOf, valuesOf } from '../../lib/form-values.ts'
import { Link } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { firstPage, useAnswer } from '../../lib/use-answer.ts'
import { useSubmit } from '../../lib/use-submit.ts'
import { PersonPicker } from '../pickers.tsx'
import { Balance } from './balance.tsx'

interface RequestDialogProps {
  item?: TimeOff
  onSaved(): void
  onClose(): void
}

const names = ['person_id', 'policy_id', 'start_date', 'end_date', 'reason'] as const
const pointers = names.map((name) => `/${name}`)
const rows_max = 100

/** Days on which a person is away, and under which policy. */
export function RequestDialog({ item, onSaved, onClose }: RequestDialogProps) {
  const [key] = useState(() => crypto.randomUUID())
  const [person_id, setPerson] = useState(item?.person_id ?? null)
  const [policy_id, setPolicy] = useState(item?.policy?.id ?? '')
  const [start, setStart] = useState(item?.start_date ?? '')
  const [halves, setHalves] = useState({
    start_half_day: item?.start_half_day ?? false,
    end_half_day: item?.end_half_day ?? false,
  })
  const [isApproved, setApproved] = useState(false)
  const policies = useAnswer(firstPage(stint.time_off_policies.list), item ? null : { limit: rows_max })
  const { submit, isBusy, error } = useSubmit(async (form) => {
    const { end_date, ...values } = valuesOf(form, names)
    const given = { ...values, end_date: end_date ?? values.start_date ?? null, ...halves }
    await save(given)
    onSaved()
    onClose()
  })
  const save = (given: Partial<Record<(typeof names)[number], string | null>> & typeof halves) => {
    // The casts hold as far as the form goes; the service names the field that is missing or wrong.
    if (!item) {
      const body = { ...given, auto_approve: isApproved } as TimeOffsCreateInput
      return stint.time_offs.create(body, { idempotency_key: key })
    }
    const changes = changesOf(given, item)
    if (Object.keys(changes).length === 0) return null
    return stint.time_offs.update({ time_off_id: item.id, ...changes } as TimeOffsUpdateInput)
  }
  const field = (name: (typeof names)[number], label: string) => ({ name, label, fault: faultAt(error, `/${name}`) })
  if (policies.value?.data.length === 0) return <NoPolicy onClose={onClose} />
  return (
    <FormDialog
      title={item ? 'Change the request' : 'Add time off'}
      action={item ? 'Save changes' : 'Add time off'}
      submit={submit}
      isBusy={isBusy}
      error={isOfNoField(error, pointers) ? error : null}
      onClose={onClose}
    >
      {item ? null : (
        <>
          <PersonPicker
            {...field('person_id', 'Person')}
            required
            onChoose={(choice) => setPerson(choice?.id ?? null)}
          />
          <SelectField
            {...field('policy_id', 'Policy')}
            required
            value={policy_id}
            onChange={(event) => setPolicy(event.currentTarget.value)}
            options={[
              { value: '', words: 'Choose…' },
              ...(policies.value?.data ?? []).map(({ id, name }) => ({ value: id, words: name })),
            ]}
          />
        </>
      )}
      <AwayFields field={field} item={item} onStart={setStart} halves={halves} setHalves={setHalves} />
      {person_id && policy_id && start ? <Balance person_id={person_id} policy_id={policy_id} date={start} /> : null}
      <TextArea
        {...field('reason', 'Reason (optional)')}
        rows={2}
        maxLength={2_000}
        defaultValue={item?.reason ?? ''}
      />
      {item ? null : (
        <Check checked={isApproved} onChange={setApproved}>
          Approve it at once <span className="hint">Otherwise it waits for a review, if its policy asks for one.</span>
        </Check>
      )}
    </FormDialog>
  )
}

function NoPolicy({ onClose }: { onClose(): void }) {
  return (
    <FormDialog title="Add time off" action="Close" isBusy={false} submit={onClose} onClose={onClose}>
      <Banner tone="info" title="There is no policy yet.">
        <p>
          Time off is counted under a policy, such as Vacation with 30 days a year.{' '}
          <Link to="/time-off?view=policies" onClick={onClose}>
            Add a policy first
          </Link>
          .
        </p>
      </Banner>
    </FormDialog>
  )
}
