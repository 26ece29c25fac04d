import '../styles/schema.css'
import { entryOf } from '../lib/nouns.ts'
import { Badge } from './badge.tsx'

/** The part of JSON Schema that the service writes its types in. */
export interface Schema {
  type?: string
  description?: string
  format?: string
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly Schema[]
  items?: Schema
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  'x-sensitive'?: string
}

/** The fields of an object below each other, each with its type and words; objects inside can be opened. */
export function SchemaTree({ schema, label }: { schema: Schema; label?: string }) {
  const { properties = {}, required = [] } = objectIn(schema) ?? {}
  return (
    <ul className="schema" aria-label={label}>
      {Object.entries(properties).map(([name, field]) => (
        <li key={name}>
          <Field name={name} field={field} isRequired={required.includes(name)} />
        </li>
      ))}
    </ul>
  )
}

interface FieldProps {
  name: string
  field: Schema
  isRequired: boolean
}

function Field({ name, field, isRequired }: FieldProps) {
  const head = (
    <>
      <code>{name}</code> <span className="hint">{typeOf(field)}</span> {isRequired ? null : <Badge>optional</Badge>}{' '}
      {field['x-sensitive'] ? <Badge tone="warning">sensitive: {field['x-sensitive']}</Badge> : null}
      <Words field={field} />
    </>
  )
  if (!objectIn(field)) return <div className="schema-leaf">{head}</div>
  return (
    <details open>
      <summary>{head}</summary>
      <SchemaTree schema={field} />
    </details>
  )
}

function Words({ field }: { field: Schema }) {
  const words = branchesOf(field).find(({ enum: listed }) => listed)?.enum
  const text = field.description ?? branchesOf(field).find(({ description }) => description)?.description
  if (!words && !text) return null
  return (
    <span className="under">
      {text} {words ? `One of ${words.map(String).join(', ')}.` : ''}
    </span>
  )
}

const branchesOf = (schema: Schema): readonly Schema[] => schema.anyOf ?? [schema]

/** The object that a field is, may be, or is a list of. */
function objectIn(schema: Schema): Schema | undefined {
  const found = branchesOf(schema).find(({ properties, items }) => properties ?? items)
  return found?.items ? objectIn(found.items) : found
}

const words: Readonly<Record<string, string>> = { string: 'text', boolean: 'true or false', integer: 'whole number' }

function typeOf(schema: Schema): string {
  const { anyOf, items, type, format } = schema
  if (anyOf) return anyOf.map(typeOf).join(' or ')
  if ('const' in schema) return JSON.stringify(schema.const)
  if (items) return `list of ${typeOf(items)}`
  return format ?? entryOf(words, type ?? (schema.enum ? 'string' : ''), type ?? 'anything')
}
