import { fullTime, momentOf } from '../lib/format.ts'

/** A moment of business by the calendar: the clock of a sandbox is another than that of the reader, so "ago" would be wrong. */
export function Moment({ at, none = '–' }: { at: string | null; none?: string }) {
  if (at === null) return <span className="none">{none}</span>
  return (
    <time dateTime={at} title={fullTime(at)}>
      {momentOf(at)}
    </time>
  )
}
