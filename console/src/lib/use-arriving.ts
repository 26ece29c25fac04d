import { useEffect, useRef, useState } from 'react'
import { useLive } from './live.ts'
import type { Query } from './service.ts'
import type { Listed } from './use-answer.ts'

/** Further down somebody reads, and rows put on top would move what is read. */
const read_from_px = 400

export type Arriving = ReturnType<typeof useArriving>

/** Rows as they change from a moment on: shown at once, or counted while the list is paused or read further down. */
export function useArriving<Row extends { id: string }>(
  path: string,
  query: Query,
  since: string | null,
  onShow: (row: Row) => void,
) {
  const [isPaused, setPaused] = useState(false)
  const [waiting, setWaiting] = useState(0)
  const kept = useRef(new Map<string, Row>())
  const paused = useRef(false)
  const state = useLive<Row>(path, { ...query, updated_after: since }, since !== null, (row) => {
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

/** The moment from which on a list has to be told of changes, once it is there: nothing falls between the two. */
export function useSince<Row>(
  { rows, isLoading }: Listed<Row>,
  { asked, otherwise, timeOf }: { asked: string; otherwise: string; timeOf(row: Row): string },
): string | null {
  const [place, setPlace] = useState<{ asked: string; since: string } | null>(null)
  const isThere = rows !== null && !isLoading
  const newest = rows?.map(timeOf).reduce((latest, time) => (time > latest ? time : latest), otherwise)
  useEffect(() => {
    if (isThere && place?.asked !== asked) setPlace({ asked, since: newest ?? otherwise })
  }, [isThere, place, asked, newest, otherwise])
  return place?.asked === asked ? place.since : null
}
