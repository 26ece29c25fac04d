import { useState } from 'react'
import type { Contract } from '#sdk/index.ts'
import { Banner } from '../../components/banner.tsx'
import { Radios } from '../../components/choice-list.tsx'
import { DateField } from '../../components/date-field.tsx'
import { SelectField } from '../../components/select-field.tsx'
import { TextArea } from '../../components/text-area.tsx'
import { TextField } from '../../components/text-field.tsx'
import type { ApiError } from '../../lib/api.ts'
import { faultAt } from '../../lib/faults.ts'
import { stint } from '../../lib/service.ts'
import { textOf } from '../../lib/use-submit.ts'
import { StepDialog } from './step-dialog.tsx'
import { termination_types } from './words.ts'

interface TerminateDialogProps {
  contract: Contract
  onChange(contract: Contract): void
  onClose(): void
}

const rehires = [
  { value: '', words: 'Not said' },
  { value: 'true', words: 'Yes' },
  { value: 'false', words: 'No' },
]

/** Ends a contract on a date, or at once after its worker's name was typed: that cannot be undone. */
export function TerminateDialog({ contract, onChange, onClose }: TerminateDialogProps) {
  const { id: contract_id, title, worker_name } = contract
  const [type, setType] = useState<(typeof termination_types)[number]['value']>('termination')
  const [when, setWhen] = useState<'date' | 'now'>('date')
  const [typed, setTyped] = useState('')
  const isNow = when === 'now'
  return (
    <StepDialog
      title={`Terminate ${title}`}
      action={isNow ? 'End it now' : 'Set the last day'}
      look="danger"
      isReady={!isNow || typed.trim() === worker_name}
      pointers={['/completion_date', '/reason', '/message']}
      take={async (form, keyed) => {
        onChange(await stint.contracts.terminate({ contract_id, type, ...wishIn(form, isNow) }, keyed))
        onClose()
      }}
      onClose={onClose}
    >
      {(error) => (
        <>
          <Radios name="type" legend="Why does it end?" value={type} options={termination_types} onChange={setType} />
          <Radios
            name="when"
            legend="When?"
            value={when}
            onChange={setWhen}
            options={[
              {
                value: 'date',
                words: 'On a date',
                hint: 'It stays active until the end of that day, and can be withdrawn.',
              },
              { value: 'now', words: 'Now', hint: 'Today is the last day. This cannot be undone.' },
            ]}
          />
          {isNow ? (
            <>
              <Banner tone="warning" title="Ending it now cannot be undone.">
                <p>The current period is still paid up to and with today.</p>
              </Banner>
              <TextField
                label={`Type ${worker_name} to go on`}
                value={typed}
                autoComplete="off"
                spellCheck={false}
                onChange={(event) => setTyped(event.currentTarget.value)}
              />
            </>
          ) : (
            <DateField
              label="Last day"
              name="completion_date"
              required
              fault={faultAt(error, '/completion_date')}
              {...(contract.end_date && { max: contract.end_date })}
            />
          )}
          <Words error={error} />
        </>
      )}
    </StepDialog>
  )
}

/** All that is said about the end, each with who reads it. */
function Words({ error }: { error: ApiError | null }) {
  return (
    <>
      <TextField
        label="Reason (optional)"
        name="reason"
        maxLength={500}
        hint="The worker can read it, and it stands in the event."
        fault={faultAt(error, '/reason')}
      />
      <TextArea
        label="Your words to the worker (optional)"
        name="message"
        rows={2}
        maxLength={2_000}
        fault={faultAt(error, '/message')}
      />
      <SelectField
        label="Would you hire them again?"
        name="eligible_for_rehire"
        options={rehires}
        hint="For your own records; a program that acts for the worker can read it too."
      />
    </>
  )
}

/** Without a date the service ends it now, so a field left empty is sent as it is, and refused. */
function wishIn(form: FormData, isNow: boolean) {
  const text = (name: string) => textOf(form, name).trim() || null
  const rehire = text('eligible_for_rehire')
  return {
    ...{
      completion_date: isNow ? null : textOf(form, 'completion_date'),
      reason: text('reason'),
      message: text('message'),
    },
    eligible_for_rehire: rehire === null ? null : rehire === 'true',
  }
}
