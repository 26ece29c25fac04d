import { useSyncExternalStore } from 'react'
import { fullTime, relativeTime } from '../lib/format.ts'

const refreshed_every_ms = 30_000

/** The time of the page, which moves every 30 seconds for all. */
function everyHalfMinute(tell: () => void): () => void {
  const timer = setInterval(tell, refreshed_every_ms)
  return () => clearInterval(timer)
}
const roundNow = () => Math.floor(Date.now() / 1_000)

/** How long ago, or how long until; the moment itself when it is pointed at. */
export function Time({ at, none = '–' }: { at: string | null; none?: string }) {
  useSyncExternalStore(everyHalfMinute, () => Math.floor(roundNow() / 30))
  if (at === null) return <span className="none">{none}</span>
  return (
    <time dateTime={at} title={fullTime(at)}>
      {relativeTime(at, Date.now())}
    </time>
  )
}
