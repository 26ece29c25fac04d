import { useState } from 'react'
import { FormDialog } from '../../components/form-dialog.tsx'
import { shown_before } from '../../components/secret-once.tsx'
import { SelectField } from '../../components/select-field.tsx'
import type { ApiToken } from '../../lib/nouns.ts'
import { stint } from '../../lib/service.ts'
import { textOf, useSubmit } from '../../lib/use-submit.ts'

const overlaps = [
  { value: '0', words: 'Not at all' },
  { value: '3600', words: '1 hour' },
  { value: '86400', words: '1 day' },
  { value: '604800', words: '7 days' },
]

interface RotateDialogProps {
  token: ApiToken
  onRotated(value: string): void
  onClose(): void
}

export function RotateDialog({ token, onRotated, onClose }: RotateDialogProps) {
  const [key] = useState(() => crypto.randomUUID())
  const { submit, isBusy, error } = useSubmit(async (form) => {
    const input = { api_token_id: token.id, overlap_s: Number(textOf(form, 'overlap')) }
    const made = await stint.api_tokens.rotate(input, { idempotency_key: key })
    onRotated(made.token ?? shown_before)
  })
  return (
    <FormDialog
      title={`Rotate ${token.name}`}
      action="Make the new value"
      submit={submit}
      isBusy={isBusy}
      error={error}
      onClose={onClose}
    >
      <p>A new value with the same rights. Change your programs over while both values work.</p>
      <SelectField label="The old value goes on working" name="overlap" options={overlaps} defaultValue="3600" />
    </FormDialog>
  )
}
