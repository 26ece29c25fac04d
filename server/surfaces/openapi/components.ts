import { canonicalJson } from '#core/json.ts'

export type Json = Record<string, unknown>

/** A schema that the document shows somewhere. */
export interface SchemaRoot {
  /** Names for its component when it is shown more than once, the best first; the last is the place that shows it. */
  names: readonly string[]
  schema: Json
  /** A component even when it is shown once, because fixed parts of the document refer to it. */
  is_component?: boolean
}

export type Components = ReturnType<typeof createComponents>

/** Words beside the rules of a schema; JSON Schema 2020-12 allows them next to `$ref`, so they make no new component. */
const annotations = ['description', 'default']

/** Keywords that only our own normaliser and the examples read. */
const internalKeywords = ['trim', 'set', 'example']

/**
 * Formats that only our own validator knows, as patterns that every tool knows. No enumerations: ISO adds codes, and a
 * client that was generated before must still read them.
 */
const patterns: Record<string, string> = {
  country: '^[A-Z]{2}$',
  currency: '^[A-Z]{3}$',
  'time-zone': '^(UTC|[A-Z]+[a-z][A-Za-z]*(/[A-Za-z0-9_+-]+)*|[A-Z]+(/[A-Za-z0-9_+-]+)+|[A-Z]+-[A-Z][a-z]+)$',
  locale:
    '^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?(-([A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))*(-[0-9A-WY-Za-wy-z](-[A-Za-z0-9]{2,8})+)*(-x(-[A-Za-z0-9]{1,8})+)?$',
}

/** A repeated schema shorter than this reads better in place. */
const component_text_min = 200

/**
 * Finds the schemas that occur more than once over all roots and makes each one component, so that a document of many
 * operations writes no shape twice. A schema's `title` is its name, else the noun or field it was first met under.
 */
export function createComponents(roots: readonly SchemaRoot[]) {
  /** Each shape with the names that it could have, the best first. */
  const seen = new Map<string, { count: number; names: string[]; schema: Json }>()
  const visit = (schema: Json, owner: string, names: string[], count = 1): void => {
    const text = textOf(schema)
    const known = seen.get(text)
    if (known) {
      known.count += 1
      return
    }
    // "or null" makes no shape of its own: what may be null is the component.
    const { anyOf = [] } = schema as { anyOf?: Json[] }
    if (!anyOf.some(({ type }) => type === 'null')) {
      seen.set(text, { count, names: typeof schema.title === 'string' ? [schema.title, ...names] : names, schema })
    }
    mapChildren(schema, (child, field) => {
      visit(child, owner, field === undefined ? names : [pascalCase(field), `${owner}${pascalCase(field)}`])
      return child
    })
  }
  for (const { names, schema, is_component } of roots) {
    const wanted = names.map(pascalCase)
    visit(schema, wanted.at(-1) ?? '', wanted, is_component ? 2 : 1)
  }

  const names = new Map<string, string>()
  for (const [text, { count, names: wanted, schema }] of seen) {
    const isComponent = count > 1 && ('title' in schema || text.length >= component_text_min)
    if (!isComponent) continue
    const taken = new Set(names.values())
    const free = wanted.find((name) => !taken.has(name))
    if (free === undefined) throw new Error(`the names ${wanted.join(', ')} are taken: give one of the schemas a title`)
    names.set(text, free)
  }
  /** The schema as the document writes it: a reference where it is a component, else in full. */
  const place = (schema: Json): Json => {
    const name = names.get(textOf(schema))
    if (!name) return mapChildren(strip(schema), place)
    const component = seen.get(textOf(schema))?.schema ?? {}
    const own = annotations.filter((word) => word in schema && schema[word] !== component[word])
    return { $ref: `#/components/schemas/${name}`, ...Object.fromEntries(own.map((word) => [word, schema[word]])) }
  }
  const schemas = [...names]
    .map(([text, name]): [string, Json] => [name, mapChildren(strip(seen.get(text)?.schema ?? {}), place)])
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return { place, schemas: Object.fromEntries(schemas) }
}

/** `time_off_policy` and `time-off-policy` → `TimeOffPolicy`. */
export function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|[^a-zA-Z0-9]+)([a-zA-Z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

function textOf(schema: Json): string {
  return canonicalJson(Object.fromEntries(Object.entries(strip(schema)).filter(([key]) => !annotations.includes(key))))
}

function strip(schema: Json): Json {
  const shown = Object.entries(schema).filter(([key]) => !internalKeywords.includes(key))
  const isText =
    !('type' in schema) && Array.isArray(schema.enum) && schema.enum.every((word) => typeof word === 'string')
  const { format, ...rest } = Object.fromEntries(shown)
  const pattern = patterns[String(format)]
  if (pattern) return { ...rest, pattern }
  return { ...(isText && { type: 'string' }), ...rest, ...(format !== undefined && { format }) }
}

/** The schema with each direct sub-schema changed; `field` is the one it stands under, none for an alternative or an item. */
export function mapChildren(schema: Json, change: (child: Json, field?: string) => Json): Json {
  const { properties, anyOf, items } = schema as { properties?: Record<string, Json>; anyOf?: Json[]; items?: Json }
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, child]) => [name, change(child, name)])),
    }),
    ...(anyOf && { anyOf: anyOf.map((child) => change(child)) }),
    ...(items && { items: change(items) }),
  }
}
