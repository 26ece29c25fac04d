import { dayOf } from '../lib/format.ts'

/** A date of business, as `2026-11-01`: it belongs to no zone, so none may move it. */
export function Day({ value, none = '–' }: { value: string | null; none?: string }) {
  return value === null ? <span className="none">{none}</span> : <time dateTime={value}>{dayOf(value)}</time>
}
