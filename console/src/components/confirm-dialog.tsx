import { type ReactNode, useState } from 'react'
import { useSubmit } from '../lib/use-submit.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { ErrorBanner } from './error-banner.tsx'
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
    <Dialog title={title} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        {error ? <ErrorBanner error={error} /> : null}
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
        <div className="actions">
          <Button type="submit" look="danger" isBusy={isBusy} disabled={!isReady}>
            {action}
          </Button>
          <Button look="secondary" onClick={onClose}>
            Cancel
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
