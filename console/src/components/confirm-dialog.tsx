import { type ReactNode, useState } from 'react'
import { useSubmit } from '../lib/use-submit.ts'
import { FormDialog } from './form-dialog.tsx'
import { TextField } from './text-field.tsx'

interface ConfirmDialogProps {
  title: string
  /** On the button, e.g. `Revoke token`. */
  action: string
  /** The text that has to be typed first, where it cannot be taken back. */
  typed?: string
  children?: ReactNode
  onConfirm(): Promise<void>
  onClose(): void
}

/** Asks before something is taken away. */
export function ConfirmDialog({ title, action, typed, children, onConfirm, onClose }: ConfirmDialogProps) {
  const [text, setText] = useState('')
  const { submit, isBusy, error } = useSubmit(async () => {
    await onConfirm()
    onClose()
  })
  const isReady = typed === undefined || text.trim() === typed
  return (
    <FormDialog
      title={title}
      action={action}
      look="danger"
      isReady={isReady}
      asksBeforeLoss={false}
      submit={submit}
      isBusy={isBusy}
      error={error}
      onClose={onClose}
    >
      <div>{children}</div>
      {typed === undefined ? null : (
        <TextField
          label={`Type ${typed} to go on`}
          value={text}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
    </FormDialog>
  )
}
