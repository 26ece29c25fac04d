import { type FormEvent, type ReactNode, useState } from 'react'
import type { ApiError } from '../lib/api.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { ErrorBanner } from './error-banner.tsx'
import { Offline } from './offline.tsx'

interface FormDialogProps {
  title: string
  /** On the button that submits, e.g. `Revoke token`. */
  action: string
  look?: 'primary' | 'danger'
  /** For a table inside. */
  isWide?: boolean
  submit(event: FormEvent<HTMLFormElement>): void
  isBusy: boolean
  /** False while something is left to choose or type. */
  isReady?: boolean
  /** Above the fields; one that a field shows itself is left out. */
  error?: ApiError | null
  /** False where what is typed is worth nothing by itself. */
  asksBeforeLoss?: boolean
  onClose(): void
  children?: ReactNode
}

/** A dialog that asks for something and is left by doing it or by Cancel. */
export function FormDialog({
  title,
  action,
  look = 'primary',
  isWide = false,
  submit,
  isBusy,
  isReady = true,
  asksBeforeLoss = true,
  ...rest
}: FormDialogProps) {
  const { error, onClose, children } = rest
  const [isTyped, setTyped] = useState(false)
  const [isAsking, setAsking] = useState(false)
  // Esc and the cross are pressed by mistake, Cancel is not.
  const leave = () => (isTyped && !isAsking ? setAsking(true) : onClose())
  // Beside "Cancel invoice" a plain Cancel would be taken for the same.
  const staying = action.startsWith('Cancel') ? 'Keep it' : 'Cancel'
  return (
    <Dialog title={title} look={isWide ? 'wide' : 'box'} onClose={leave}>
      <form className="stack" onSubmit={submit} onInput={() => setTyped(asksBeforeLoss)}>
        <Offline />
        {isAsking ? (
          <div className="banner warning" role="alert">
            <p className="banner-title">What you typed is not saved.</p>
            <p className="actions">
              <Button look="secondary" size="small" onClick={onClose}>
                Discard it
              </Button>
              <Button look="secondary" size="small" onClick={() => setAsking(false)}>
                Go on typing
              </Button>
            </p>
          </div>
        ) : null}
        {error ? <ErrorBanner error={error} /> : null}
        {children}
        <div className="actions">
          <Button type="submit" look={look} isBusy={isBusy} disabled={!isReady}>
            {action}
          </Button>
          <Button look="secondary" onClick={onClose}>
            {staying}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
