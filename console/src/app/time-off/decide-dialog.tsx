import type { TimeOff } from '#sdk/index.ts'
import { FormDialog } from '../../components/form-dialog.tsx'
import { TextArea } from '../../components/text-area.tsx'
import { stint } from '../../lib/service.ts'
import { useSubmit } from '../../lib/use-submit.ts'
import { Period } from '../work-items/period.tsx'
import { Balance } from './balance.tsx'
import { daysWords } from './words.ts'

export type Decision = 'approve' | 'reject' | 'cancel'

const words = {
  approve: { title: 'Approve this time off?', action: 'Approve', told: 'The time off is approved.' },
  reject: { title: 'Reject this time off?', action: 'Reject', told: 'The time off is rejected.' },
  cancel: { title: 'Cancel this time off?', action: 'Cancel time off', told: 'The time off is cancelled.' },
} as const

interface DecideDialogProps {
  item: TimeOff
  decision: Decision
  onDecided(words: string): void
  onClose(): void
}

/** A decision on one absence, with what it leaves of the year. */
export function DecideDialog({ item, decision, onDecided, onClose }: DecideDialogProps) {
  const { title, action, told } = words[decision]
  const { submit, isBusy, error } = useSubmit(async (form) => {
    const ids = { time_off_id: item.id, reason: String(form.get('reason') ?? '').trim() || null }
    if (decision === 'cancel') await stint.time_offs.cancel(ids)
    else await stint.time_offs.review({ ...ids, status: decision === 'approve' ? 'approved' : 'rejected' })
    onDecided(told)
    onClose()
  })
  return (
    <FormDialog
      title={title}
      action={action}
      look={decision === 'approve' ? 'primary' : 'danger'}
      submit={submit}
      isBusy={isBusy}
      error={error}
      onClose={onClose}
    >
      <p>
        <bdi>{item.person_name}</bdi> is away <Period start={item.start_date} end={item.end_date} />,{' '}
        {daysWords(item.days)}
        {item.policy ? ` of ${item.policy.name}` : ''}.
      </p>
      {decision === 'approve' && item.policy ? (
        <Balance person_id={item.person_id} policy_id={item.policy.id} date={item.start_date} />
      ) : null}
      <TextArea label="Reason (optional)" name="reason" rows={2} maxLength={500} />
    </FormDialog>
  )
}
