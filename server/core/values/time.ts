// No cache: with Node 26's Temporal a lookup costs 1–2 µs, and the first use of all 418 zones together 8 ms.

const first_date = '0001-01-01'
const last_date = '9999-12-31'

/**
 * Whether `name` is an IANA time zone in its exact spelling: "Europe/Berlin", "Asia/Calcutta", "Etc/GMT+5", "UTC".
 * Offsets ("+01:00") and abbreviations, also those that the IANA files list ("EST", "CET", "PST8PDT", "GMT"), are not:
 * they name no place whose rules could be followed. "UTC" alone is accepted because systems use it as a place.
 */
export function isTimeZone(name: string): boolean {
  if (name === 'UTC') return true
  if (!/[a-z]/.test(name)) return false
  try {
    // Temporal also takes other cases and whole timestamps; only the exact name comes back unchanged.
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId === name
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

/** The calendar date (YYYY-MM-DD) that `epoch_ms` falls on in `zone` */
export function businessDate(epoch_ms: number, zone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(epoch_ms).toZonedDateTimeISO(zone).toPlainDate().toString()
}

/**
 * First instant of `date` in `zone`, in milliseconds since 1970: 01:00 where a change of offset swallows midnight, the
 * first of two where midnight comes twice, and the start of the next day where the zone skipped the whole date.
 */
export function startOfDay(date: string, zone: string): number {
  return Temporal.PlainDate.from(date).toZonedDateTime(zone).epochMilliseconds
}

/** Whether `text` is an existing calendar date written YYYY-MM-DD, from 0001-01-01 to 9999-12-31 */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text < first_date) return false
  try {
    Temporal.PlainDate.from(text)
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

/**
 * `date` moved by whole days. It stays within 0001-01-01 … 9999-12-31, so that "the day after" a contract that ends on
 * 9999-12-31, as some systems write "never", is still a date that sorts as text.
 */
export function addDays(date: string, days: number): string {
  const moved = Temporal.PlainDate.from(date).add({ days })
  if (moved.year > 9999) return last_date
  return moved.year < 1 ? first_date : moved.toString()
}

/** Days from `from` to `to`, negative when `to` is earlier; a span that includes both its ends has one day more */
export function daysBetween(from: string, to: string): number {
  return Temporal.PlainDate.from(from).until(to, { largestUnit: 'days' }).days
}

/** 1 (Monday) to 7 (Sunday) */
export function weekdayOf(date: string): number {
  return Temporal.PlainDate.from(date).dayOfWeek
}

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
