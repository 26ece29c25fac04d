import type { TSchema } from 'typebox'
import { canonicalLocale, tidy } from './text.ts'
import { utcOf } from './time.ts'

type Plain = Record<string, unknown>

/**
 * Brings an input into the form its schema means, without judging it: texts marked `trim` become tidy, times become
 * UTC with milliseconds, language tags take their canonical spelling, absent fields take their default, and where
 * everything arrives as text (`fromText`: path and query) numbers, booleans and sets are read by their declared type.
 * Unknown fields stay for the check to refuse.
 */
export function normalise(schema: TSchema, value: unknown, fromText: boolean): unknown {
  const rules = schema as Plain
  if (Array.isArray(rules.anyOf)) return normaliseUnion(rules.anyOf as TSchema[], value, fromText)
  if (rules.type === 'object' && rules.properties) return normaliseObject(rules, value, fromText)
  if (rules.type === 'array') return normaliseArray(rules, value, fromText)
  if (typeof value !== 'string') return value
  if (fromText && (rules.type === 'integer' || rules.type === 'number')) return numberOf(value)
  if (fromText && rules.type === 'boolean') return value === 'true' ? true : value === 'false' ? false : value
  if (rules.type !== 'string') return value
  return canonical(rules.format, rules.trim ? tidy(value) : value)
}

/** What has one spelling, in that; what is no time or language tag at all stays as it came, for the check to refuse. */
function canonical(format: unknown, text: string): string {
  if (format === 'date-time') return utcOf(text) ?? text
  if (format === 'locale') return canonicalLocale(text) ?? text
  return text
}

function normaliseUnion(alternatives: TSchema[], value: unknown, fromText: boolean): unknown {
  if (value === null) return value
  const others = alternatives.filter((alternative) => (alternative as Plain).type !== 'null')
  const [only] = others
  return others.length === 1 && only ? normalise(only, value, fromText) : value
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
