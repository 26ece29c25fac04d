import { type FormEvent, useRef, useState } from 'react'
import { type ApiError, apiErrorOf } from './api.ts'

/** Runs a form's action once at a time; a second press while it runs does nothing. */
export function useSubmit(action: (form: FormData) => Promise<void>) {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<ApiError | null>(null)
  const running = useRef(false)

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (running.current) return
    running.current = true
    setBusy(true)
    setError(null)
    const form = event.currentTarget
    try {
      await action(new FormData(form))
    } catch (thrown) {
      setError(apiErrorOf(thrown))
      requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
    } finally {
      running.current = false
      setBusy(false)
    }
  }
  return { submit, isBusy, error, clear: () => setError(null) }
}

/** What was typed into one field of a form. */
export function textOf(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}
