import { type ComponentProps, useEffect, useState } from 'react'
import { useLeaving } from '../lib/router.tsx'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

type PageFormProps = Omit<ComponentProps<'form'>, 'className' | 'onInput'> & {
  /** While it is being saved. */
  isBusy: boolean
  /** It could not be saved. */
  hasFailed: boolean
}

/** A form that is a page of its own: going elsewhere with something typed asks first. */
export function PageForm({ isBusy, hasFailed, children, ...form }: PageFormProps) {
  const [isTyped, setTyped] = useState(false)
  const leaving = useLeaving(isTyped && !isBusy)
  useEffect(() => {
    if (isBusy) return () => setTyped(false)
  }, [isBusy])
  useEffect(() => {
    if (hasFailed) setTyped(true)
  }, [hasFailed])
  return (
    <form {...form} className="stack form" onInput={() => setTyped(true)}>
      {children}
      {leaving ? (
        <Dialog title="What you typed is not saved" onClose={leaving.stay}>
          <p>Leave this page without it?</p>
          <p className="actions">
            <Button look="danger" onClick={leaving.leave}>
              Leave and discard it
            </Button>
            <Button look="secondary" onClick={leaving.stay}>
              Stay here
            </Button>
          </p>
        </Dialog>
      ) : null}
    </form>
  )
}
