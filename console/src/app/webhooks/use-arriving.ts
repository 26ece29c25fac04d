import { useEffect, useRef, useState } from 'react'
import { useLive } from '../../lib/live.ts'
import type { Delivery } from '../../lib/nouns.ts'
import type { Query } from '../../lib/service.ts'

/** Further down somebody reads, and rows put on top would move what is read. */
const read_from_px = 400

/** Deliveries as they change from a moment on: shown at once, or counted while the list is paused or read further down. */
export function useArriving(path: string, query: Query, since: string | null, onShow: (row: Delivery) => void) {
  const [isPaused, setPaused] = useState(false)
  const [waiting, setWaiting] = useState(0)
  const kept = useRef(new Map<string, Delivery>())
  const paused = useRef(false)
  const state = useLive<Delivery>(path, { ...query, updated_after: since }, since !== null, (row) => {
    if (!paused.current && scrollY < read_from_px) return onShow(row)
    kept.current.set(row.id, row)
    setWaiting(kept.current.size)
  })
  const asked = JSON.stringify(query)
  // biome-ignore lint/correctness/useExhaustiveDependencies: other filters, other rows
  useEffect(() => {
    kept.current.clear()
    setWaiting(0)
  }, [asked])
  const show = () => {
    for (const row of kept.current.values()) onShow(row)
    kept.current.clear()
    setWaiting(0)
  }
  const togglePause = () => {
    paused.current = !paused.current
    setPaused(paused.current)
    if (!paused.current) show()
  }
  return { state, isPaused, waiting, show, togglePause }
}
