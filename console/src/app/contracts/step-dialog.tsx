import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Banner } from '../../components/banner.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { type ApiError, apiErrorOf } from '../../lib/api.ts'
import { isOfNoField } from '../../lib/faults.ts'
import { useSubmit } from '../../lib/use-submit.ts'

export interface Taking {
  form: FormData
  /** One for each opened dialog, so that a second press takes no second step. */
  options: { idempotency_key: string }
}

interface StepDialogProps {
  title: string
  /** On the button that takes the step. */
  action: string
  look?: 'primary' | 'danger'
  isReady?: boolean
  /** Of the fields that show a fault themselves. */
  pointers?: readonly string[]
  /** Takes the step, and then closes the dialog or goes on in it. */
  take(taking: Taking): Promise<void>
  onClose(): void
  /** Reads again what the page behind shows: somebody else was faster. */
  onStale(): void
  children: ReactNode | ((error: ApiError | null) => ReactNode)
}

/** Asks what a step needs, and takes it. Whoever comes too late is told so, and sees how things stand now. */
export function StepDialog({ take, onStale, pointers = [], children, ...dialog }: StepDialogProps) {
  const [idempotency_key] = useState(() => crypto.randomUUID())
  const { submit, isBusy, error } = useSubmit(async (form) => {
    try {
      await take({ form, options: { idempotency_key } })
    } catch (thrown) {
      if (isConflict(apiErrorOf(thrown))) onStale()
      throw thrown
    }
  })
  const isStale = error !== null && isConflict(error)
  // The button stands at the end of a dialog that may be longer than the window, and what went wrong at its beginning.
  const beginning = useRef<HTMLDivElement>(null)
  const isAbove = isStale || isOfNoField(error, pointers)
  useEffect(() => {
    if (error && isAbove) beginning.current?.closest('dialog')?.scrollTo(0, 0)
  }, [error, isAbove])
  return (
    <FormDialog {...dialog} {...{ submit, isBusy }} error={!isStale && isOfNoField(error, pointers) ? error : null}>
      <div ref={beginning} hidden />
      {isStale ? (
        <Banner tone="error" title="This has changed meanwhile.">
          <p>{error.message} Behind this dialog it is shown as it is now; close the dialog to see it.</p>
        </Banner>
      ) : null}
      {typeof children === 'function' ? children(error) : children}
    </FormDialog>
  )
}

const conflicts = ['invalid_state', 'already_signed', 'terms_changed', 'terms_locked', 'no_open_invitation']
const isConflict = ({ code }: ApiError) => conflicts.includes(code)
