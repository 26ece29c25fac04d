import { type FormEvent, useEffect, useRef, useState } from 'react'
import { type ApiError, apiErrorOf, offline } from './api.ts'

/** The part that all calls of one form share. */
export interface Keyed {
  /** The same until the form has done its work: a press after a lost answer makes no second one of it. */
  idempotency_key: string
}

/** Runs a form's action once at a time; a second press while it runs does nothing, and neither does one without a connection. */
export function useSubmit(action: (form: FormData, keyed: Keyed) => Promise<void>) {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<ApiError | null>(null)
  const running = useRef(false)
  const key = useRef<string>(undefined)
  const submitted = useRef<HTMLFormElement>(null)
  // Once the fields are shown as wrong: a frame of the browser may come before that.
  useEffect(() => {
    if (error) submitted.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [error])

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (running.current) return
    if (!navigator.onLine) return setError(offline())
    running.current = true
    setBusy(true)
    setError(null)
    const form = event.currentTarget
    submitted.current = form
    try {
      key.current ??= crypto.randomUUID()
      await action(new FormData(form), { idempotency_key: key.current })
      key.current = undefined
    } catch (thrown) {
      setError(apiErrorOf(thrown))
    } finally {
      running.current = false
      setBusy(false)
    }
  }
  return { submit, isBusy, error, clear: () => setError(null) }
}

/** The text of one field of a form. */
export function textOf(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}
