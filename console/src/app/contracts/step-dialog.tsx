import { type ReactNode, useEffect, useRef } from 'react'
import { FormDialog } from '../../components/form-dialog.tsx'
import type { ApiError } from '../../lib/api.ts'
import { isOfNoField } from '../../lib/faults.ts'
import { type Keyed, useSubmit } from '../../lib/use-submit.ts'

interface StepDialogProps {
  title: string
  /** On the button that takes the step. */
  action: string
  look?: 'primary' | 'danger'
  isReady?: boolean
  /** Of the fields that show a fault themselves. */
  pointers?: readonly string[]
  /** Takes the step, and then closes the dialog or goes on in it. */
  take(form: FormData, keyed: Keyed): Promise<void>
  onClose(): void
  children: ReactNode | ((error: ApiError | null) => ReactNode)
}

/** Asks what a step needs, and takes it. */
export function StepDialog({ take, pointers = [], children, ...dialog }: StepDialogProps) {
  const { submit, isBusy, error } = useSubmit(take)
  const isAbove = isOfNoField(error, pointers)
  // The button stands at the end of a dialog that may be longer than the window, and what went wrong at its beginning.
  const beginning = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (error && isAbove) beginning.current?.closest('dialog')?.scrollTo(0, 0)
  }, [error, isAbove])
  return (
    <FormDialog {...dialog} {...{ submit, isBusy }} error={isAbove ? error : null}>
      <div ref={beginning} hidden />
      {typeof children === 'function' ? children(error) : children}
    </FormDialog>
  )
}
