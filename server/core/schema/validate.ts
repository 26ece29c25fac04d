import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { Format } from 'typebox/format'
import type { FieldError } from '../problems.ts'
import { isCountry } from '../values/countries.ts'
import { idPattern } from '../values/id.ts'
import { isCurrency, money_pattern } from '../values/money.ts'
import { normalise } from '../values/normalise.ts'
import { escapePointer, isSmall, unstorable, values_max } from '../values/storable.ts'
import {
  canonicalLocale,
  isEmail,
  isEmptyOrVisible,
  line_pattern,
  lines_pattern,
  text_messages,
} from '../values/text.ts'
import { isDate, isTimeZone, utcOf } from '../values/time.ts'

/** Mistakes reported at most per request, so that a hostile body does not make a huge answer. */
export const errors_max = 20

export type Validated = { ok: true; value: Record<string, unknown> } | { ok: false; errors: FieldError[] }

interface ValidationError {
  keyword: string
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
    const validator = compiled()
    if (!isSmall(input)) return { ok: false, errors: [{ pointer: '', message: `has more than ${values_max} values` }] }
    const value = normalise(schema, input, fromText)
    const refused = unstorable(value, errors_max)
    if (validator.Check(value)) {
      return refused.length === 0
        ? { ok: true, value: value as Record<string, unknown> }
        : { ok: false, errors: refused }
    }
    const errors = validator.Errors(value) as ValidationError[]
    return { ok: false, errors: [...refused, ...withoutLengthsOfCodes(errors).flatMap(describe)].slice(0, errors_max) }
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
    return (validator.Errors(value) as ValidationError[]).flatMap(describe).slice(0, errors_max)
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

function describe(error: ValidationError): FieldError[] {
  const params = error.params as Record<string, unknown>
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
    case 'enum':
      return at(`must be one of ${(params.allowedValues as unknown[]).join(', ')}`)
    case 'format':
      return at(formats[String(params.format)] ?? `must be a valid ${params.format}`)
    case 'type':
      return params.type === 'null'
        ? []
        : at(`must be ${/^[aio]/.test(String(params.type)) ? 'an' : 'a'} ${params.type}`)
    case 'pattern':
      return at(patterns[String(params.pattern)] ?? 'has characters or a form that is not allowed')
    default:
      return at(error.message)
  }
}

const patterns: Record<string, string> = {
  [line_pattern]: text_messages.line,
  [lines_pattern]: text_messages.lines,
  [idPattern]: 'must be an id: a lower-case UUID such as 019cadc6-9a80-70df-929e-750f1228d11d',
  [money_pattern]: 'must be a decimal string such as "4200.00"',
}

const formats: Record<string, string> = {
  date: 'must be a date, YYYY-MM-DD',
  'date-time': 'must be an RFC 3339 time such as 2026-01-12T09:00:00Z',
  email: 'must be an e-mail address such as ada@company.example, without quotes and with a dot in its domain',
  text: text_messages.visible,
  country: 'must be an ISO 3166-1 alpha-2 country code such as DE',
  currency: 'must be an accepted ISO 4217 currency code such as EUR',
  'time-zone': 'must be an IANA time zone such as Europe/Berlin',
  locale: 'must be a BCP 47 language tag such as en or pt-BR',
}
