import { readFileSync } from 'node:fs'
import { type Flags, UsageError } from '../command.ts'
import type { Field, Json, OperationCommand } from './document.ts'

/** An option as help and the parser take it: `statuses <pending,…>` may come again, `held [true|false]` may stand alone. */
export function optionOf({ flag, kind, form, choices }: Field): string {
  const words = choices.length > 0 && choices.length <= 12 ? choices : []
  if (kind === 'boolean') return `${flag} [true|false]`
  if (kind === 'list') return `${flag} <${words.length > 0 ? `${words.join('|')},…` : 'a,b,…'}>`
  if (words.length > 0) return `${flag} <${words.join('|')}>`
  return `${flag} <${{ json: 'JSON', integer: 'n', text: form }[kind]}>`
}

/** The input of one call: `--data`, and over it what is given by flags. */
export function inputOf({ fields, has_body }: OperationCommand, flags: Flags): Json {
  const input = has_body ? dataOf(flags.data) : {}
  for (const field of fields) {
    const given = flags[field.flag]
    if (given !== undefined) put(input, field.place, fieldValue(field, [given].flat().map(String)))
  }
  return input
}

/** The object of `--data`: JSON itself, `@file`, or `-` for standard input. */
function dataOf(given: Flags[string]): Json {
  if (given === undefined) return {}
  const text = textOf(String(given))
  try {
    const value = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch (error) {
    throw new UsageError(`--data is no JSON: ${error instanceof Error ? error.message : error}`)
  }
  throw new UsageError('--data must be one JSON object, such as \'{"name": "Research"}\'')
}

function textOf(given: string): string {
  if (given !== '-' && !given.startsWith('@')) return given
  const file = given === '-' ? 0 : given.slice(1)
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(`--data ${given} cannot be read: ${error instanceof Error ? error.message : error}`)
  }
}

function put(input: Json, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    input[name] = value
    return
  }
  const inner = input[name]
  const object = typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? { ...inner } : {}
  put(object as Json, rest, value)
  input[name] = object
}

/** The value of a flag by the type of its field; nothing behind `=` empties a field that may be null. */
function fieldValue(field: Field, given: readonly string[]): unknown {
  const { flag, kind, is_nullable } = field
  const text = given.at(-1) ?? ''
  if (text === '' && is_nullable) return null
  if (kind === 'list') return given.flatMap((part) => part.split(',')).filter((word) => word !== '')
  if (kind === 'text') return text
  if (kind === 'boolean') {
    if (text === 'true' || text === 'false') return text === 'true'
    throw new UsageError(`--${flag} is true or false`)
  }
  try {
    const value: unknown = JSON.parse(text)
    if (kind === 'json' || Number.isInteger(value)) return value
  } catch {
    // Told below, as a number with decimals is.
  }
  throw new UsageError(kind === 'json' ? `--${flag} takes JSON` : `--${flag} takes a whole number`)
}
