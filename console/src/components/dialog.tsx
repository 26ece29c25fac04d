import { type ReactNode, useEffect, useId, useRef } from 'react'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

interface DialogProps {
  title: string
  /** A drawer stands at the right edge, for what belongs to one row of a list. */
  look?: 'box' | 'wide' | 'drawer'
  /** Esc and the button at the top; absent where the dialog is left by its own buttons alone. */
  onClose?: () => void
  children: ReactNode
}

/**
 * The browser's own modal dialog: it keeps the focus inside and gives it back at the end. The focus begins at what has
 * `data-first`, else at the title.
 */
export function Dialog({ title, look = 'box', onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const shown = dialog.current
    const before = document.activeElement
    shown?.showModal()
    const first = shown?.querySelector<HTMLElement>('[data-first]') ?? shown?.querySelector<HTMLElement>('h2')
    first?.focus()
    return () => {
      shown?.close()
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      className={`dialog ${look}`}
      aria-labelledby={id}
      onCancel={(event) => {
        if (event.target !== dialog.current) return
        event.preventDefault()
        onClose?.()
      }}
    >
      <header className="dialog-head">
        <h2 id={id} tabIndex={-1}>
          {title}
        </h2>
        {onClose ? (
          <Button look="quiet" onClick={onClose} aria-label="Close">
            <Icon name="close" />
          </Button>
        ) : null}
      </header>
      {children}
    </dialog>
  )
}
