import { useState } from 'react'
import { FormDialog } from '../../components/form-dialog.tsx'
import { TextArea } from '../../components/text-area.tsx'
import { faultAt, isOfNoField } from '../../lib/faults.ts'
import { textOf, useSubmit } from '../../lib/use-submit.ts'

interface RefuseDialogProps {
  title: string
  action: string
  /** The consequence. */
  words: string
  refuse(reason: string | null, options: { idempotency_key: string }): Promise<void>
  onClose(): void
}

/** Says no, with a reason that the other side reads. */
export function RefuseDialog({ title, action, words, refuse, onClose }: RefuseDialogProps) {
  const [idempotency_key] = useState(() => crypto.randomUUID())
  const { submit, isBusy, error } = useSubmit(async (form) => {
    await refuse(textOf(form, 'reason').trim() || null, { idempotency_key })
    onClose()
  })
  return (
    <FormDialog
      {...{ title, action, submit, isBusy, onClose }}
      look="danger"
      error={isOfNoField(error, ['/reason']) ? error : null}
    >
      <p>{words}</p>
      <TextArea label="Reason (optional)" name="reason" maxLength={500} fault={faultAt(error, '/reason')} />
    </FormDialog>
  )
}
