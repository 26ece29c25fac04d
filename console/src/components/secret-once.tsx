import { type ReactNode, useState } from 'react'
import { Banner } from './banner.tsx'
import { Button } from './button.tsx'
import { Code } from './code.tsx'
import { Dialog } from './dialog.tsx'

/** Stands in for a value that an earlier answer to the same form has shown. */
export const shown_before = 'It was shown before.'

interface SecretOnceProps {
  title: string
  secret: string
  what: string
  children?: ReactNode
  onClose(): void
}

/** A value that is shown this once: it lives here alone, and is gone with the dialog. Esc asks before that. */
export function SecretOnce({ title, secret, what, children, onClose }: SecretOnceProps) {
  const [isLeaving, setLeaving] = useState(false)
  return (
    <Dialog title={title} look="wide" onClose={() => setLeaving(true)}>
      <div className="stack">
        <Banner tone="warning" title="Copy it now: it is shown this once.">
          <p>Keep it in a secrets manager. Nobody, the operator included, can look it up again.</p>
        </Banner>
        <Code text={secret} what={what} wraps />
        {children}
        {isLeaving ? (
          <Banner tone="error" title={`Close without having saved the ${what}?`}>
            <p className="actions">
              <Button look="danger" onClick={onClose}>
                Close, it is not needed
              </Button>
              <Button look="secondary" onClick={() => setLeaving(false)}>
                Go back
              </Button>
            </p>
          </Banner>
        ) : (
          <div className="actions">
            <Button onClick={onClose}>I have saved it</Button>
          </div>
        )}
      </div>
    </Dialog>
  )
}
