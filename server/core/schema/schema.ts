import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import type { SensitiveCategory } from '../caller.ts'
import {
  type Currency,
  idPattern,
  line_pattern,
  lines_pattern,
  locale_characters_max,
  money_pattern,
} from '../values.ts'

export { type Static, type TSchema, Type } from 'typebox'

/** A text of a form that has a name in the reference. */
function named(title: string, format: string, maxLength: number, description: string) {
  return Type.String({ title, format, maxLength, description })
}

/** Lower-case UUIDv7. */
export const Id = Type.String({ title: 'Id', pattern: idPattern, maxLength: 36, description: 'Lower-case UUID.' })
/** RFC 3339; any offset on input, UTC with milliseconds on output. */
export const Timestamp = named('Timestamp', 'date-time', 40, 'RFC 3339 time.')
export const CalendarDate = named('Date', 'date', 10, 'Date, YYYY-MM-DD.')
export const Email = { ...named('Email', 'email', 254, 'E-mail address.'), trim: true }
/** The caller's own id of something. */
export const ExternalId = Text(1, 100, { description: 'Your own id of it; unique.' })
export const Country = named('Country', 'country', 2, 'ISO 3166-1 alpha-2 code.')
export const CurrencyCode = Type.Unsafe<Currency>(named('Currency', 'currency', 3, 'ISO 4217 code.'))
export const TimeZone = named('TimeZone', 'time-zone', 64, 'IANA time zone, such as Europe/Berlin.')
export const Locale = named('Locale', 'locale', locale_characters_max, 'BCP 47 language tag, such as de or pt-BR.')
/** An amount as callers write it; how many decimals it may have is the currency's business. */
export const MoneyInput = Type.String({ pattern: money_pattern, description: 'Decimal string, such as "4200.00".' })
/** An amount as answers write it, always with the decimals of its currency; a correction may be negative. */
export const MoneyAmount = Type.String({
  title: 'MoneyAmount',
  pattern: '^-?[0-9]{1,20}(\\.[0-9]{1,4})?$',
  description: 'Decimal string with the decimals of its currency, such as "4200.00".',
})
/** 0 to 100 with at most 4 decimals. */
export const Percent = Type.String({
  pattern: '^(100(\\.0{1,4})?|[0-9]{1,2}(\\.[0-9]{1,4})?)$',
  description: 'Decimal string from 0 to 100 with at most 4 decimals, such as "19" or "9.975".',
})

/** One line of `min` to `max` characters (code points) after trimming, clean by the rules of `values.ts`. */
export function Text(min: number, max: number, options: Record<string, unknown> = {}) {
  return cleanText(line_pattern, min, max, options)
}

/** The same with line feeds: descriptions and messages that people write in a box of several lines. */
export function MultilineText(min: number, max: number, options: Record<string, unknown> = {}) {
  return cleanText(lines_pattern, min, max, options)
}

function cleanText(pattern: string, min: number, max: number, options: Record<string, unknown>) {
  return Type.String({ minLength: min, maxLength: max, pattern, format: 'text', trim: true, ...options })
}

export function Nullable<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()])
}

/** An object that refuses fields it does not name; all inputs and their nested objects are made with it. */
export function Closed<Properties extends TProperties>(properties: Properties, options: Record<string, unknown> = {}) {
  return Type.Object(properties, { additionalProperties: false, ...options })
}

/** A set of values, sent as repeated keys, `key[]=`, or comma-separated; duplicates are dropped. */
export function SetOf<Schema extends TSchema>(schema: Schema, options: Record<string, unknown> = {}) {
  return Type.Array(schema, { minItems: 1, maxItems: 50, set: true, ...options })
}

/** Marks a field whose value is null for callers without the category (domain rules on sensitive data). */
export function Sensitive<Schema extends TSchema>(
  category: SensitiveCategory,
  schema: Schema,
  when?: { field: string; is: string },
) {
  return Type.Union([schema, Type.Null()], { 'x-sensitive': category, ...(when && { 'x-sensitive-when': when }) })
}

/**
 * Marks a field that the service notes of a resource's use (a last use, a backlog): it changes while nobody changes the
 * resource, so a precondition of a change does not look at it.
 */
export function Observed<Schema extends TSchema>(schema: Schema): Schema {
  return { ...schema, 'x-observed': 'use' }
}

/** A secret that only the answer that makes it shows. */
export function ShownOnce(what: string) {
  const description = `${what} Shown this once; store it now. Null in a repeat of the request that comes after an hour or after its end.`
  return Nullable(Type.String({ description }))
}

/** `{id, name}` of another resource. */
export const Ref = Type.Object({ id: Id, name: Type.String() }, { title: 'Ref' })

export const ActorSchema = Type.Object(
  {
    kind: Type.Enum(['user', 'token', 'worker', 'scim', 'system', 'provider']),
    id: Nullable(Id),
    name: Type.String(),
  },
  { title: 'Actor' },
)

export const page_rows_max = 100

/** The three inputs of every list. `updated_after` is exclusive. */
export const PageInput = {
  limit: Type.Integer({ minimum: 1, maximum: page_rows_max, default: 20, description: 'Rows per page.' }),
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 512, description: 'Cursor of the previous page.' })),
  updated_after: Type.Optional({ ...Timestamp, description: 'Changed after this time.' } as typeof Timestamp),
}

/** The envelope of every list (interface specification 2.1). */
export function PageOf<Schema extends TSchema>(schema: Schema) {
  return Type.Object({
    data: Type.Array(schema),
    cursor: Nullable(Type.String({ description: 'Cursor of the next page; null on the last page.' })),
    has_more: Type.Boolean(),
    total_count: Type.Integer({ minimum: 0, description: 'Rows matching the filters, over all pages.' }),
  })
}

export type Page<Row> = { data: Row[]; cursor: string | null; has_more: boolean; total_count: number }

export type PageRequest = Static<TObject<typeof PageInput>>
