import type { Json } from './components.ts'

/** Alternatives listed in a table cell at most; longer enumerations (countries, currencies) are only counted. */
const listed_values_max = 24

/** A schema of the OpenAPI document in the words of a table cell: `text (1..100)`, `date or null`, `Contract[]`. */
export function typeWords(schema: Json): string {
  if (typeof schema.$ref === 'string') return shapeLink(schema.$ref)
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map((each) => typeWords(each as Json)).join(' or ')
  if (Array.isArray(schema.allOf)) return schema.allOf.map((each) => typeWords(each as Json)).join(' and ')
  if ('const' in schema) return `\`${schema.const}\``
  if (Array.isArray(schema.enum)) return enumWords(schema.enum)
  if (schema.type === 'array') return arrayWords(schema)
  if (schema.type === 'object') return schema.properties ? 'object' : 'object of any fields'
  if (schema.type === 'string') return textWords(schema)
  if (schema.type === 'integer' || schema.type === 'number') {
    return `${schema.type}${boundsWords(schema.minimum, schema.maximum)}`
  }
  return String(schema.type ?? 'anything')
}

export interface FieldRow {
  /** Path of the field: `worker.email`, `lines[].amount`. */
  name: string
  type: string
  required: boolean
  notes: string
}

/** The fields of an object and of the objects inside it, in order. */
export function fieldRows(schema: Json, prefix = ''): FieldRow[] {
  const required = new Set((schema.required ?? []) as string[])
  return Object.entries((schema.properties ?? {}) as Record<string, Json>).flatMap(([field, child]) => {
    const name = `${prefix}${field}`
    const row = { name, type: typeWords(child), required: required.has(field), notes: notesOf(child) }
    return [row, ...innerRows(child, name)]
  })
}

export function notesOf(schema: Json): string {
  const sensitive = schema['x-sensitive']
  const parts = [
    ...(typeof schema.description === 'string' ? [schema.description] : []),
    ...('default' in schema ? [`Default \`${JSON.stringify(schema.default)}\`.`] : []),
    ...(typeof sensitive === 'string' ? [`Sensitive: \`${sensitive}\`.`] : []),
  ]
  return parts.join(' ')
}

function innerRows(schema: Json, name: string): FieldRow[] {
  if (Array.isArray(schema.anyOf)) return schema.anyOf.flatMap((each) => innerRows(each as Json, name))
  if (schema.type === 'array') return innerRows(schema.items as Json, `${name}[]`)
  return schema.properties ? fieldRows(schema, `${name}.`) : []
}

function shapeLink(ref: string): string {
  return `[${ref.split('/').at(-1)}]`
}

function enumWords(values: readonly unknown[]): string {
  if (values.length > listed_values_max) return `one of ${values.length} words`
  return values.map((value) => `\`${value}\``).join(', ')
}

function arrayWords({ items, minItems, maxItems }: Json): string {
  const item = typeWords(items as Json)
  return `list${boundsWords(minItems, maxItems)} of ${item}`
}

function textWords(schema: Json): string {
  const kind = typeof schema.format === 'string' ? schema.format : 'text'
  return `${kind}${boundsWords(schema.minLength, schema.maxLength)}`
}

function boundsWords(min: unknown, max: unknown): string {
  if (min === undefined && max === undefined) return ''
  return ` (${min ?? ''}..${max ?? ''})`
}
