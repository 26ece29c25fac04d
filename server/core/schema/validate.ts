import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { Format } from 'typebox/format'
import type { FieldError } from '../problems.ts'
import {
  canonicalLocale,
  idPattern,
  isCountry,
  isCurrency,
  isDate,
  isEmail,
  isEmptyOrVisible,
  isIban,
  isTimeZone,
  line_pattern,
  lines_pattern,
  money_pattern,
  phone_pattern,
  text_messages,
  tidy,
  utcOf,
} from '../values.ts'

/** Mistakes reported at most per request, so that a hostile body does not make a huge answer. */
export const errors_max = 20

export type Validated = { ok: true; value: Record<string, unknown> } | { ok: false; errors: FieldError[] }

interface ValidationError {
  keyword: string
  schemaPath: string
  instancePath: string
  params: object
  message: string
}

// Stricter than the library: 30 February is no date, and the year 0000 no year PostgreSQL knows.
Format.Set('date', isDate)
// As `normalise` leaves it. What is no time at all (a leap second, 25 o'clock) has no such form.
Format.Set('date-time', (text) => utcOf(text) === text)
Format.Set('email', isEmail)
Format.Set('text', isEmptyOrVisible)
Format.Set('country', isCountry)
Format.Set('iban', isIban)
Format.Set('currency', isCurrency)
Format.Set('time-zone', isTimeZone)
Format.Set('locale', (tag) => canonicalLocale(tag) !== null)

/** Compiled at its first use: all schemas of the service together take 0.3 s, which no start waits for. */
function compiledLater(make: () => TSchema): () => Validator {
  let validator: Validator | undefined
  return () => {
    validator ??= Compile(make())
    return validator
  }
}

/** Compiles a schema once; the result trims, coerces query texts, fills defaults and then checks. */
export function compileInput(schema: TSchema): (input: unknown, fromText: boolean) => Validated {
  const compiled = compiledLater(() => schema)
  return (input, fromText) => {
    const value = normalise(schema, input, fromText)
    const refused = unstorable(value, errors_max)
    // Nothing more is asked about them: checking 90,000 unknown fields took a second.
    if (refused.includes(too_many_values)) return { ok: false, errors: refused }
    const validator = compiled()
    const mistakes = validator.Check(value) ? [] : (validator.Errors(value) as ValidationError[])
    const errors = [...refused, ...withoutLengthsOfCodes(mistakes).flatMap((error) => describe(error, schema))].slice(
      0,
      errors_max,
    )
    return errors.length === 0 ? { ok: true, value: value as Record<string, unknown> } : { ok: false, errors }
  }
}

/**
 * Compiles a schema for checking what the service itself made; answers the mistakes. A field that the schema does not
 * name is one of them: clients must allow for new fields, but we never show what is not in the reference.
 */
export function compileOutput(schema: TSchema): (value: unknown) => FieldError[] {
  const compiled = compiledLater(() => closed(schema))
  return (value) => {
    const validator = compiled()
    if (validator.Check(value)) return []
    return (validator.Errors(value) as ValidationError[])
      .flatMap((error) => describe(error, schema))
      .slice(0, errors_max)
  }
}

function closed(schema: TSchema): TSchema {
  const { properties, items, anyOf, ...rest } = schema as Record<string, unknown>
  const each = (alternatives: unknown) => (alternatives as TSchema[]).map(closed)
  const named = properties as Record<string, TSchema> | undefined
  return {
    ...rest,
    ...(named && {
      properties: Object.fromEntries(Object.entries(named).map(([name, child]) => [name, closed(child)])),
      additionalProperties: false,
    }),
    ...(items !== undefined && { items: closed(items as TSchema) }),
    ...(anyOf !== undefined && { anyOf: each(anyOf) }),
  } as TSchema
}

/** A code that is not of a list has no length of its own to mend. */
function withoutLengthsOfCodes(errors: readonly ValidationError[]): ValidationError[] {
  const codes = errors.filter(({ keyword, params }) => keyword === 'format' && isCode(params)).map(placeOf)
  return errors.filter((error) => !/^m(ax|in)Length$/.test(error.keyword) || !codes.includes(placeOf(error)))
}

const placeOf = ({ instancePath }: ValidationError) => instancePath
const isCode = (params: object) =>
  'format' in params && /^(country|currency|time-zone|locale)$/.test(`${params.format}`)

function describe(error: ValidationError, schema: TSchema): FieldError[] {
  const params = error.params as Record<string, unknown>
  // None of several alternatives is the one that was meant; that none fits is told once, for all of them.
  if (/\/oneOf\/\d/.test(error.schemaPath)) return []
  const at = (message: string) => [{ pointer: error.instancePath, message }]
  const each = (names: unknown, message: string) =>
    (names as string[]).map((name) => ({ pointer: `${error.instancePath}/${escapePointer(name)}`, message }))
  switch (error.keyword) {
    case 'additionalProperties':
      return each(params.additionalProperties, 'is not a known field')
    case 'required':
      return each(params.requiredProperties, 'is required')
    // "schema is false" repeats the unknown field, and a failed alternative has said why itself.
    case 'boolean':
    case 'anyOf':
      return []
    case 'oneOf':
      return at('must have one of the alternatives that its description names, and only one')
    case 'enum':
      return at(`must be one of ${(params.allowedValues as unknown[]).join(', ')}`)
    case 'format':
      return at(formats[String(params.format)] ?? `must be a valid ${params.format}`)
    case 'type': {
      if (params.type === 'null') return []
      const { pattern, format } = schemaAt(schema, error.schemaPath)
      // A number in place of an amount or a rate is told the form, not only that it is no string.
      const has_form = params.type === 'string' && typeof pattern === 'string' && format !== 'text'
      if (has_form) return at(messageOf(pattern, schema, error.schemaPath))
      return at(`must be ${/^[aio]/.test(String(params.type)) ? 'an' : 'a'} ${params.type}`)
    }
    case 'pattern':
      return at(messageOf(String(params.pattern), schema, error.schemaPath))
    default:
      return at(error.message)
  }
}

function messageOf(pattern: string, schema: TSchema, place: string): string {
  const { description } = schemaAt(schema, place)
  const form = description ? `has another form: ${description}` : 'has characters or a form that is not allowed'
  return patterns[pattern] ?? form
}

/** The schema whose keyword failed; `place` is its path, such as `#/properties/rate`. */
function schemaAt(schema: TSchema, place: string): Plain {
  const names = place.split('/').slice(1)
  return (names.reduce<unknown>((inner, name) => (inner as Plain | undefined)?.[name], schema) ?? {}) as Plain
}

const patterns: Record<string, string> = {
  [line_pattern]: text_messages.line,
  [lines_pattern]: text_messages.lines,
  [idPattern]: 'must be an id: a lower-case UUID such as 019cadc6-9a80-70df-929e-750f1228d11d',
  [phone_pattern]: 'must be a phone number by E.164 such as +49305550101',
  [money_pattern]: 'must be a decimal string such as "4200.00"',
}

const formats: Record<string, string> = {
  date: 'must be a date, YYYY-MM-DD',
  'date-time': 'must be an RFC 3339 time such as 2026-01-12T09:00:00Z',
  email: 'must be an e-mail address such as ada@company.example, without quotes and with a dot in its domain',
  text: text_messages.visible,
  country: 'must be an ISO 3166-1 alpha-2 country code such as DE',
  iban: 'must be an IBAN with the right check digits',
  currency: 'must be an accepted ISO 4217 currency code such as EUR',
  'time-zone': 'must be an IANA time zone such as Europe/Berlin',
  locale: 'must be a BCP 47 language tag such as en or pt-BR',
}

type Plain = Record<string, unknown>

/**
 * Brings an input into the form its schema means, without judging it: texts marked `trim` become tidy, times become
 * UTC with milliseconds, language tags take their canonical spelling, absent fields take their default, and where
 * everything arrives as text (`fromText`: path and query) numbers, booleans and sets are read by their declared type.
 * Unknown fields stay for the check to refuse.
 */
export function normalise(schema: TSchema, value: unknown, fromText: boolean): unknown {
  const rules = schema as Plain
  if (Array.isArray(rules.anyOf)) {
    const [only, ...others] = (rules.anyOf as Plain[]).filter(({ type }) => type !== 'null')
    return value === null || !only || others.length > 0 ? value : normalise(only, value, fromText)
  }
  if (rules.type === 'object' && rules.properties) return normaliseObject(rules, value, fromText)
  if (rules.type === 'array') return normaliseArray(rules, value, fromText)
  if (typeof value !== 'string') return value
  if (fromText && (rules.type === 'integer' || rules.type === 'number')) return numberOf(value)
  if (fromText && rules.type === 'boolean') return value === 'true' ? true : value === 'false' ? false : value
  if (rules.type !== 'string') return value
  return canonical(rules.format, rules.trim ? tidy(value) : value)
}

/** Spells times and language tags in one way; text that is neither stays as it came, for the check to refuse. */
function canonical(format: unknown, text: string): string {
  if (format === 'date-time') return utcOf(text) ?? text
  if (format === 'locale') return canonicalLocale(text) ?? text
  // People write it in groups of four.
  if (format === 'iban') return text.replaceAll(' ', '').toUpperCase()
  return text
}

function normaliseObject(rules: Plain, value: unknown, fromText: boolean): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const properties = rules.properties as Record<string, TSchema>
  const result: Plain = { ...value }
  for (const [name, property] of Object.entries(properties)) {
    const given = Object.hasOwn(value, name) ? (value as Plain)[name] : undefined
    if (given !== undefined) result[name] = normalise(property, given, fromText)
    else if ('default' in property) result[name] = structuredClone(property.default)
    else delete result[name]
  }
  return result
}

function normaliseArray(rules: Plain, value: unknown, fromText: boolean): unknown {
  const items = rules.items as TSchema
  const list = fromText && typeof value === 'string' ? [value] : value
  if (!Array.isArray(list)) return value
  const split = fromText ? list.flatMap((item) => (typeof item === 'string' ? item.split(',') : [item])) : list
  const normalised = split.map((item) => normalise(items, item, fromText))
  return rules.set ? [...new Set(normalised)] : normalised
}

function numberOf(text: string): unknown {
  return /^-?\d{1,15}(\.\d{1,6})?$/.test(text) ? Number(text) : text
}

/** Levels of objects and lists that an input may have; the deepest schema has 4. */
const nesting_levels_max = 16

/** Fields and items of an input, over all levels; the largest schema has some hundreds. */
const values_max = 10_000
const too_many_values: FieldError = { pointer: '', message: `has more than ${values_max} values` }

/**
 * Finds values that no column of the database can hold, wherever they stand in an input: NUL characters and halves of
 * surrogate pairs (PostgreSQL refuses both in text and in jsonb), and values nested so deep that walking them could end
 * a process. Stops at `errors_max` mistakes, and at more values than any schema has.
 */
export function unstorable(value: unknown, errors_max: number): FieldError[] {
  const errors: FieldError[] = []
  let values = 0
  const walk = (part: unknown, pointer: string, level: number): void => {
    if (errors.length >= errors_max || values > values_max) return
    if (typeof part === 'string') {
      if (!isStorable(part)) errors.push({ pointer, message: 'has characters that are not allowed' })
      return
    }
    if (typeof part !== 'object' || part === null) return
    if (level > nesting_levels_max) {
      errors.push({ pointer, message: `is nested more than ${nesting_levels_max} levels deep` })
      return
    }
    const members = Object.entries(part)
    values += members.length
    for (const [name, child] of members) {
      if (!isStorable(name)) errors.push({ pointer, message: 'has a field whose name is not allowed' })
      else walk(child, `${pointer}/${escapePointer(name)}`, level + 1)
    }
  }
  walk(value, '', 1)
  return values > values_max ? [too_many_values] : errors
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** RFC 6901 §3. */
export function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
