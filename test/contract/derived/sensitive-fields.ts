import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { plain, type Schema } from './every-operation.ts'

export interface Place {
  path: (string | number)[]
  category: string
  /** The schema of the field: one object, wherever the field of a noun is shown. */
  schema: Schema
}

/** Categories of custom fields by key, which no schema names. */
export type Labels = Readonly<Record<string, string>>

/** Finds the sensitive fields of a value by its schema: found here anew, apart from the code that withholds them. */
export function placesOf(
  schema: Schema,
  value: unknown,
  labels: Labels = {},
  path: Place['path'] = [],
  within: unknown = undefined,
): Place[] {
  const category = schema['x-sensitive']
  if (typeof category === 'string') {
    const when = schema['x-sensitive-when'] as { field: string; is: string } | undefined
    const applies = !when || (within as Record<string, unknown>)[when.field] === when.is
    return applies ? [{ path, category, schema }] : []
  }
  if (value === null || value === undefined) return []
  if ('x-labelled' in schema) {
    const known = Object.keys(value).filter((key) => key in labels)
    return known.map((key) => ({ path: [...path, key], category: labels[key] ?? '', schema }))
  }
  if (Array.isArray(schema.anyOf)) {
    const branches = (schema.anyOf as Schema[]).filter(({ type }) => type !== 'null')
    return branches.flatMap((branch) => placesOf(branch, value, labels, path, within))
  }
  if (Array.isArray(value)) {
    const { items } = schema as { items?: Schema }
    return items ? value.flatMap((item, index) => placesOf(items, item, labels, [...path, index])) : []
  }
  const fields = Object.entries((schema.properties ?? {}) as Record<string, Schema>)
  return fields
    .filter(([name]) => Object.hasOwn(value, name))
    .flatMap(([name, child]) =>
      placesOf(child, (value as Record<string, unknown>)[name], labels, [...path, name], value),
    )
}

export function at(value: unknown, path: Place['path']): unknown {
  return path.reduce((inner, key) => (inner as Record<string, unknown>)[String(key)], value)
}

/** A copy with null at these places and every other value as it was. */
export function nulled<Value>(value: Value, places: readonly Place[]): Value {
  const copy = structuredClone(value)
  for (const { path } of places) {
    const holder = at(copy, path.slice(0, -1)) as Record<string, unknown>
    holder[String(path.at(-1))] = null
  }
  return copy
}

/** Calls back for each sensitive field of a schema, with its place. */
export function eachMark(schema: Schema, visit: (mark: Schema, place: string) => void, place = ''): void {
  if ('x-sensitive' in schema || 'x-labelled' in schema) {
    visit(schema, place)
    return
  }
  for (const [name, child] of Object.entries((schema.properties ?? {}) as Record<string, Schema>)) {
    eachMark(child, visit, place === '' ? name : `${place}.${name}`)
  }
  for (const branch of (schema.anyOf ?? []) as Schema[]) eachMark(branch, visit, place)
  if (schema.items) eachMark(schema.items as Schema, visit, `${place}[]`)
}

const server = new URL('../../../server/', import.meta.url).pathname

/** The sensitive fields of every noun, by the schema that answers, events and exports share: `person.home_address`. */
export async function fieldsOfNouns(): Promise<Map<Schema, string>> {
  const fields = new Map<Schema, string>()
  const files = (await readdir(server, { recursive: true })).filter((file) => /(?<!\.test)\.ts$/.test(file)).sort()
  for (const file of files) {
    if (!/= defineResource\(/.test(await readFile(join(server, file), 'utf8'))) continue
    const exported = (await import(join(server, file))) as Record<string, Parameters<typeof plain>[0] & Noun>
    for (const [name, noun] of Object.entries(exported)) {
      if (!noun?.answer || !noun.entryOf) continue
      eachMark(plain(noun.answer), (mark, place) => fields.has(mark) || fields.set(mark, `${name}.${place}`))
    }
  }
  return fields
}

interface Noun {
  answer?: Parameters<typeof plain>[0]
  entryOf?: unknown
}
