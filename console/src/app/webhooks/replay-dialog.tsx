import { useState } from 'react'
import { Check } from '../../components/choice-list.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { SelectField } from '../../components/select-field.tsx'
import { countOf } from '../../lib/format.ts'
import { stint } from '../../lib/service.ts'
import { firstPage, useAnswer } from '../../lib/use-answer.ts'
import { useSubmit } from '../../lib/use-submit.ts'
import { toggled } from '../toggled.ts'

const periods = [
  { value: '1', words: 'The last hour' },
  { value: '24', words: 'The last 24 hours' },
  { value: '168', words: 'The last 7 days' },
  { value: '720', words: 'The last 30 days' },
]
const statuses = [
  { name: 'failed', words: 'Failed in every attempt' },
  { name: 'discarded', words: 'Discarded at a re-enabling' },
  { name: 'expired', words: 'Expired while held' },
  { name: 'succeeded', words: 'Succeeded: arrives a second time' },
] as const
const hour_ms = 3_600_000

interface ReplayDialogProps {
  webhook_id: string
  onStarted(): void
  onClose(): void
}

/** Says how many it would be before it starts. */
export function ReplayDialog({ webhook_id, onStarted, onClose }: ReplayDialogProps) {
  const [key] = useState(() => crypto.randomUUID())
  const [until_ms] = useState(Date.now)
  const [hours, setHours] = useState('24')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(['failed', 'discarded', 'expired']))
  const since = new Date(until_ms - Number(hours) * hour_ms).toISOString()
  const span = { webhook_id, since, statuses: statuses.map(({ name }) => name).filter((name) => chosen.has(name)) }
  const counted = useAnswer(firstPage(stint.webhooks.list_deliveries), chosen.size > 0 ? { ...span, limit: 1 } : null)
  const count = chosen.size > 0 ? (counted.value?.total_count ?? 0) : 0
  const { submit, isBusy, error } = useSubmit(async () => {
    await stint.webhooks.replay(span, { idempotency_key: key })
    onClose()
    onStarted()
  })
  return (
    <FormDialog
      title="Send past events again"
      action="Start replay"
      isReady={count > 0}
      submit={submit}
      isBusy={isBusy}
      error={error}
      onClose={onClose}
    >
      <SelectField
        label="Deliveries of"
        options={periods}
        value={hours}
        onChange={(event) => setHours(event.currentTarget.value)}
      />
      <fieldset>
        <legend>That ended as</legend>
        {statuses.map(({ name, words }) => (
          <Check key={name} checked={chosen.has(name)} onChange={(isOn) => setChosen(toggled(chosen, name, isOn))}>
            {words}
          </Check>
        ))}
      </fieldset>
      <p role="status">
        {count === 0
          ? 'None fits.'
          : `${countOf(count, 'delivery', 'deliveries')} will be sent, less what has arrived since.`}
      </p>
    </FormDialog>
  )
}
