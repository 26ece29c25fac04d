import { isDate } from './time-zone.ts'

const rfc3339 = /^\d{4}-\d{2}-\d{2}[Tt]([01]\d|2[0-3]):\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/

/**
 * An RFC 3339 time in UTC with milliseconds; null for what is none. `Date.parse` alone would move what does not exist:
 * 30 February into March, 24:00 to the next day. It knows no leap second, and those are refused.
 */
export function utcOf(text: string): string | null {
  if (!rfc3339.test(text) || !isDate(text.slice(0, 10))) return null
  const at_ms = Date.parse(text)
  return Number.isNaN(at_ms) ? null : new Date(at_ms).toISOString()
}
