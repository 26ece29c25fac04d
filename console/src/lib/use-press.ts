import { useRef, useState } from 'react'
import { type ApiError, apiErrorOf } from './api.ts'

/** Runs what a button outside of any form's fields does, once at a time, and keeps its refusal. */
export function usePress(action: () => Promise<void>) {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<ApiError | null>(null)
  const running = useRef(false)
  const press = async () => {
    if (running.current) return
    running.current = true
    setBusy(true)
    setError(null)
    try {
      await action()
    } catch (thrown) {
      setError(apiErrorOf(thrown))
    } finally {
      running.current = false
      setBusy(false)
    }
  }
  return { press, isBusy, error, clear: () => setError(null) }
}
