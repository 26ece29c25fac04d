import { randomFillSync } from 'node:crypto'
import * as currency_table from 'dinero.js/currencies'
// The package's entry reads 70 languages at start, 37 ms measured; its index reads none.
import countryRegistry from 'i18n-iso-countries/index.js'

/** Random bytes for 256 ids; how many of them are used. */
const random_bytes = Buffer.alloc(16 * 256)
let random_bytes_used = random_bytes.length

/** Of 26 bits, of which a time begins with 25 by chance: a clock that stands still makes 33 million ids in their order. */
const counter_max = 0x3ffffff
/** Counters of the latest times, the newest last: rows of a test clock and rows of real time are made in turns. */
const counters = new Map<number, number>()
const times_kept_max = 16

function nextCounter(at_ms: number, start: number): number {
  const before = counters.get(at_ms)
  const counter = before === undefined || before === counter_max ? start : before + 1
  counters.delete(at_ms)
  counters.set(at_ms, counter)
  const [oldest] = counters.size > times_kept_max ? counters.keys() : []
  if (oldest !== undefined) counters.delete(oldest)
  return counter
}

/**
 * A new lower-case UUIDv7 (RFC 9562 §5.7) for the moment `at_ms`. Ids of one millisecond count upwards (§6.2, method 1),
 * so rows made one after the other by one process sort in that order; the other 48 bits are random.
 */
export function newId(at_ms: number): string {
  if (random_bytes_used === random_bytes.length) {
    randomFillSync(random_bytes)
    random_bytes_used = 0
  }
  const bytes = random_bytes.subarray(random_bytes_used, random_bytes_used + 16)
  random_bytes_used += 16
  const counter = nextCounter(at_ms, bytes.readUInt32BE(6) >>> 7)
  bytes.writeUIntBE(at_ms, 0, 6)
  bytes.writeUInt16BE(0x7000 | (counter >>> 14), 6)
  bytes.writeUInt16BE(0x8000 | (counter & 0x3fff), 8)
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

export const idPattern = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'
const id_form = new RegExp(idPattern)

/** True for a text in the form of an id, whether or not a row has it. */
export const isId = (text: string): boolean => id_form.test(text)

const first_date = '0001-01-01'
const last_date = '9999-12-31'

/**
 * True when `name` is an IANA time zone in its exact spelling: "Europe/Berlin", "Asia/Calcutta", "Etc/GMT+5", "UTC".
 * Offsets ("+01:00") and abbreviations, also those that the IANA files list ("EST", "CET", "PST8PDT", "GMT"), are not:
 * they name no place whose rules could be followed. "UTC" alone is accepted because systems use it as a place.
 * Not cached: with Node 26's Temporal a lookup costs 1–2 µs, and the first use of all 418 zones together 8 ms.
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

/** The current names of all zones in alphabetical order; `isTimeZone` takes their older spellings too. */
export function timeZones(): string[] {
  return [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone').filter(isTimeZone)])].sort()
}

/** The calendar date (YYYY-MM-DD) that an instant falls on in `zone` */
export function businessDate(instant: string, zone: string): string {
  return Temporal.Instant.from(instant).toZonedDateTimeISO(zone).toPlainDate().toString()
}

// Dates sort as text.
export const earliest = (a: string, b: string) => (a < b ? a : b)
export const latest = (a: string, b: string) => (a > b ? a : b)

/**
 * First instant of `date` in `zone`, in milliseconds since 1970: 01:00 where a change of offset swallows midnight, the
 * first of two where midnight comes twice, and the start of the next day where the zone skipped the whole date.
 */
export function startOfDay(date: string, zone: string): number {
  return Temporal.PlainDate.from(date).toZonedDateTime(zone).epochMilliseconds
}

/** True when `text` is an existing calendar date written YYYY-MM-DD, from 0001-01-01 to 9999-12-31 */
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

/**
 * The moment that lies an ISO 8601 duration after `instant`, with days and months as they are in `zone`; null where that
 * is no duration, or leads out of the calendar.
 */
export function laterBy(instant: string, duration: string, zone: string): string | null {
  try {
    const from = Temporal.Instant.from(instant).toZonedDateTimeISO(zone)
    return new Date(from.add(Temporal.Duration.from(duration)).epochMilliseconds).toISOString()
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
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

/**
 * Characters that no text may hold: controls (C0, DEL, C1), line and paragraph separators, and the marks that turn the
 * direction of writing (UAX #9 §2), by which a name can be shown as another one. `\u` escapes work in every dialect of
 * regular expressions that reads JSON Schema.
 */
const direction_and_separators = '\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069'

/** The form of a text of one line, as a pattern for schemas. */
export const line_pattern = `^[^\\u0000-\\u001f\\u007f-\\u009f${direction_and_separators}]*$`
/** The form of a text of several lines: the same, and line feeds. */
export const lines_pattern = `^[^\\u0000-\\u0009\\u000b-\\u001f\\u007f-\\u009f${direction_and_separators}]*$`

const line_form = new RegExp(line_pattern, 'u')
const lines_form = new RegExp(lines_pattern, 'u')

/** Characters that leave no mark on a page: blanks, fillers, joiners, marks. U+2800 is a Braille cell without a dot. */
const invisible = /[\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/gu

/**
 * A text as it is kept: composed (NFC), so that what looks the same is the same; line breaks as line feeds, whatever
 * system wrote them; without blanks at its ends.
 */
export function tidy(text: string): string {
  return text.normalize('NFC').replaceAll(/\r\n?/g, '\n').trim()
}

/** True when a text has nothing in it, or something that can be seen. */
export function isEmptyOrVisible(text: string): boolean {
  return text === '' || text.replaceAll(invisible, '') !== ''
}

/** The fault of a tidy text of one line, or null: "must have at least one visible character" */
export function faultOfLine(text: string): string | null {
  if (!line_form.test(text)) return text_messages.line
  return isEmptyOrVisible(text) ? null : text_messages.visible
}

/** The same of a text of several lines. */
export function faultOfLines(text: string): string | null {
  if (!lines_form.test(text)) return text_messages.lines
  return isEmptyOrVisible(text) ? null : text_messages.visible
}

export const text_messages = {
  line: 'must be one line, without tabs, other control characters or marks that turn the direction of writing',
  lines: 'must have no tabs, no control characters but line feeds, and no marks that turn the direction of writing',
  visible: 'must have at least one visible character',
}

/** ITU-T E.164 with its plus sign: at most 15 digits, none of the blanks that people write for reading. */
export const phone_pattern = '^\\+[1-9][0-9]{1,14}$'

const email_characters_max = 254
const email_local_characters_max = 64

/** A dot-atom (RFC 5321 §4.1.2). A quoted text is allowed there too, and hardly any mail server takes one. */
const email_local_part = /^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*$/

/** Labels of letters, digits and inner hyphens (RFC 1123 §2.1); two at least, and the last one is no number. */
const email_domain = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])$/i

/**
 * True when mail can be sent to it over the Internet: "ada@harbour.example". Without quoted local part, address literal
 * or a domain of one label; a domain of other scripts is written in its ASCII form (`xn--…`).
 */
export function isEmail(text: string): boolean {
  if (text.length > email_characters_max) return false
  const at = text.lastIndexOf('@')
  return (
    at <= email_local_characters_max &&
    email_local_part.test(text.slice(0, Math.max(at, 0))) &&
    email_domain.test(text.slice(at + 1))
  )
}

/** Characters that a tag needs by RFC 5646 §4.4.1. Longer ones are not looked at: reading one of 1 MB takes 0.1 s. */
export const locale_characters_max = 35

/** A language tag (BCP 47) in its canonical spelling: "en-us" is "en-US"; null for what is none. */
export function canonicalLocale(tag: string): string | null {
  if (tag.length > locale_characters_max) return null
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** The 250 ISO 3166-1 alpha-2 codes that i18n-iso-countries lists (XK included), in alphabetical order */
export const countries: readonly string[] = Object.keys(countryRegistry.getAlpha2Codes()).sort()

const country_codes: ReadonlySet<string> = new Set(countries)

/** Upper-case alpha-2 only: "DE", never "de" or "DEU" */
export const isCountry = (code: string): boolean => country_codes.has(code)

/** ISO 13616: moved behind the rest and with letters as 10 to 35, country and check digits leave 1 over 97. */
export function isIban(text: string): boolean {
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(text)) return false
  const digits = [...text.slice(4), ...text.slice(0, 4)].map((sign) => Number.parseInt(sign, 36)).join('')
  return isCountry(text.slice(0, 2)) && BigInt(digits) % 97n === 1n
}

type CurrencyTable = typeof currency_table

/** ISO 4217 code whose minor unit is a power of ten: dinero.js' table without MGA and MRU, whose unit is a fifth */
export type Currency = {
  [Code in keyof CurrencyTable]: CurrencyTable[Code]['base'] extends 10 ? Code : never
}[keyof CurrencyTable]

/** An exact amount in minor units: `{ minor: 420000n, currency: 'EUR' }` is 4200.00 EUR */
export type Money = { readonly minor: bigint; readonly currency: Currency }

/** `validation_failed` (400): not a plain decimal or too long; `amount_precision` (422): more decimals than the currency has */
export type MoneyRefusal = { readonly code: 'validation_failed' | 'amount_precision'; readonly message: string }

export const integer_digits_max = 12

/** The form of any currency's amount on input, a pattern for schemas; the decimals are the currency's business */
export const money_pattern = `^[0-9]{1,${integer_digits_max}}(\\.[0-9]{1,20})?$`

const plain_decimal = new RegExp(money_pattern)

const decimals_by_currency: ReadonlyMap<string, number> = new Map(
  Object.values(currency_table)
    .filter(({ base }) => base === 10)
    .map(({ code, exponent }) => [code, exponent]),
)

/** The 164 accepted codes, in alphabetical order */
// The filter above keeps exactly the codes that the type names; a map's keys cannot carry that knowledge.
export const currencies = [...decimals_by_currency.keys()].sort() as readonly string[] as readonly Currency[]

export function isCurrency(code: string): code is Currency {
  return decimals_by_currency.has(code)
}

/** Digits after the point: 2 for EUR, 0 for CLP, 3 for KWD, 4 for CLF. Never from Intl, which says 0 for a dozen of them */
export function decimalsOf(currency: Currency): number {
  const decimals = decimals_by_currency.get(currency)
  if (decimals === undefined) throw new RangeError(`${currency} is not an accepted currency`)
  return decimals
}

/**
 * Reads an amount as callers write it: at most 12 integer digits and no more decimals than the currency has, trailing
 * zeros included ("1.0" JPY is refused). Neither sign nor exponent.
 */
export function parseMoney(text: string, currency: Currency): Money | MoneyRefusal {
  if (!plain_decimal.test(text)) {
    const example = formatMoney(1500n, currency)
    return {
      code: 'validation_failed',
      message: `must be a decimal string with at most ${integer_digits_max} integer digits, such as "${example}"`,
    }
  }
  const [integer = '', fraction = ''] = text.split('.')
  const decimals = decimalsOf(currency)
  if (fraction.length > decimals) {
    const allowed = decimals === 0 ? 'no decimals' : `at most ${decimals} decimals`
    return { code: 'amount_precision', message: `must have ${allowed}: ${currency} has no smaller unit` }
  }
  return { minor: BigInt(integer + fraction.padEnd(decimals, '0')), currency }
}

/** The canonical text on the wire and in rows, always with the currency's decimals: "4200.00", "864000", "-0.05" */
export function formatMoney(minor: bigint, currency: Currency): string {
  const decimals = decimalsOf(currency)
  const sign = minor < 0n ? '-' : ''
  const digits = String(minor < 0n ? -minor : minor).padStart(decimals + 1, '0')
  const point = digits.length - decimals
  return decimals === 0 ? sign + digits : `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}

/** A stored amount, which has all the decimals of its currency and may be negative. */
export function storedMoney(text: string, currency: Currency): Money {
  return { minor: BigInt(text.replace('.', '')), currency }
}

/** The sum of amounts of one currency; any other one is refused. */
export function sumOf(currency: Currency, amounts: readonly Money[]): Money {
  const foreign = amounts.find((amount) => amount.currency !== currency)
  if (foreign) throw new RangeError(`${currency} and ${foreign.currency} have no sum`)
  return { minor: amounts.reduce((sum, { minor }) => sum + minor, 0n), currency }
}

/** `minor` × `numerator` ÷ `denominator`, rounded once, half away from zero. The denominator is positive. */
export function multiplyByRatio(minor: bigint, numerator: bigint, denominator: bigint): bigint {
  if (denominator <= 0n) throw new RangeError('the denominator must be positive')
  const product = minor * numerator
  const magnitude = product < 0n ? -product : product
  const rounded = (2n * magnitude + denominator) / (2n * denominator)
  return product < 0n ? -rounded : rounded
}

/** A decimal number without the zeros that say nothing: "019.50" is "19.5"; how quantities and percents are printed */
export function trimDecimal(text: string): string {
  const [integer = '', fraction = ''] = text.split('.')
  const decimals = fraction.replace(/0+$/, '')
  return `${integer.replace(/^0+(?=\d)/, '')}${decimals === '' ? '' : `.${decimals}`}`
}
