import { Day } from '../../components/date.tsx'

/** One day, or the first and the last of several. */
export function Period({ start, end }: { start: string; end: string }) {
  return start === end ? (
    <Day value={start} />
  ) : (
    <span className="period">
      <Day value={start} /> – <Day value={end} />
    </span>
  )
}
