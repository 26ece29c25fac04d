import { useCallback, useEffect, useState } from 'react'
import { type ApiError, apiErrorOf } from './api.ts'

export type Loaded<Value> =
  | { state: 'loading' }
  | { state: 'ready'; value: Value }
  | { state: 'failed'; error: ApiError }

/** Loads once, and again when asked. `load` must not change between renderings. */
export function useLoaded<Value>(load: () => Promise<Value>): Loaded<Value> & { reload(): void } {
  const [loaded, setLoaded] = useState<Loaded<Value>>({ state: 'loading' })
  const [round, setRound] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round loads again
  useEffect(() => {
    let isCurrent = true
    const set = (next: Loaded<Value>) => isCurrent && setLoaded(next)
    setLoaded({ state: 'loading' })
    load().then(
      (value) => set({ state: 'ready', value }),
      (error: unknown) => set({ state: 'failed', error: apiErrorOf(error) }),
    )
    return () => {
      isCurrent = false
    }
  }, [load, round])
  return { ...loaded, reload: useCallback(() => setRound((n) => n + 1), []) }
}
