import { useSyncExternalStore } from 'react'
import { fullTime, relativeTime } from '../lib/format.ts'

/** Nobody waits for so little. */
const soon_ms = 5_000

const refreshed_every_ms = 30_000

/** The time of the page, which moves every 30 seconds for all. */
function everyHalfMinute(tell: () => void): () => void {
  const timer = setInterval(tell, refreshed_every_ms)
  return () => clearInterval(timer)
}
const roundNow = () => Math.floor(Date.now() / 1_000)

interface TimeProps {
  at: string | null
  none?: string
  /** Something that is still to happen: once it is due, that is said, and not how long it has been. */
  isAhead?: boolean
}

/** Tells how long ago, or how long until; the moment itself when it is pointed at. */
export function Time({ at, none = '–', isAhead = false }: TimeProps) {
  useSyncExternalStore(everyHalfMinute, () => Math.floor(roundNow() / 30))
  if (at === null) return <span className="none">{none}</span>
  return (
    <time dateTime={at} title={fullTime(at)}>
      {isAhead && Date.parse(at) <= Date.now() + soon_ms ? 'any moment' : relativeTime(at, Date.now())}
    </time>
  )
}
