import { exactMomentOf, fullTime, momentOf } from '../lib/format.ts'

interface MomentProps {
  at: string | null
  none?: string
  /** To the second and with the zone, for evidence and for looking into logs; also where nothing can be pointed at. */
  isExact?: boolean
}

/** A moment of business by the calendar: the clock of a sandbox is another than that of the reader, so "ago" would be wrong. */
export function Moment({ at, none = '–', isExact = false }: MomentProps) {
  if (at === null) return <span className="none">{none}</span>
  return (
    <time dateTime={at} title={fullTime(at)}>
      {isExact ? exactMomentOf(at) : momentOf(at)}
    </time>
  )
}
