import { findSchema, type Place, type ResourceType, wholeOf } from './attribute.ts'
import { matches, parseTarget, type Target } from './filter.ts'
import { readExtensionPath } from './quirks.ts'
import { refuse } from './refusals.ts'
import { asResource, isAssigned, type Resource, valueAt, withValue } from './resource.ts'

/** The names that a client asks for or leaves out, as they came: comma lists, repeated or not. */
export type Asked = { readonly [Name in 'attributes' | 'excludedAttributes']?: readonly string[] }

/** Reads what a client wants to see of a resource (RFC 7644 §3.9); what is always returned is always shown. */
export function projectionOf(type: ResourceType, { attributes, excludedAttributes }: Asked) {
  if (attributes && excludedAttributes)
    throw refuse('invalidValue', 'attributes and excludedAttributes exclude one another.')
  const is_wanted = attributes !== undefined
  const named = Map.groupBy(targetsOf(type, attributes ?? excludedAttributes ?? []), ({ place }) => wholeOf(place).key)
  const isWhole = ({ place, filter }: Target) => !place.whole && !filter
  const asked = type.places.filter(({ key, own }) => named.has(key) && own.returned !== 'always')
  return {
    // Nothing is read that is not shown at all.
    shows: ({ key, own }: Place): boolean =>
      own.returned === 'always' || (is_wanted ? named.has(key) : !named.get(key)?.some(isWhole)),
    of: (resource: Resource): Resource =>
      asked.reduce((shown, { key, path }) => {
        return withValue(shown, path, narrowed(valueAt(shown, path), named.get(key) ?? [], is_wanted))
      }, resource),
  }
}

/** A value, or each element of a list, by what is said of it: its wanted parts, or it without the unwanted ones. */
function narrowed(value: unknown, targets: readonly Target[], is_wanted: boolean): unknown {
  if (Array.isArray(value)) return value.map((one) => narrowed(one, targets, is_wanted)).filter(isAssigned)
  const meant = targets.filter(({ filter }) => !filter || matches(filter, value, true))
  const is_whole = meant.some(({ place }) => !place.whole)
  if (is_whole || !asResource(value)) return is_whole === is_wanted ? value : undefined
  const isNamed = (name: string) => meant.some(({ place }) => place.own.name === name)
  return Object.fromEntries(Object.entries(Object(value)).filter(([name]) => isNamed(name) === is_wanted))
}

/** Commas within brackets are part of a filter. */
const name_form = /(?:[^,[]|\[[^\]]*\]?)+/g

function targetsOf(type: ResourceType, names: readonly string[]): Target[] {
  const split = names.join(',').match(name_form) ?? []
  return split.flatMap((name) => {
    const path = readExtensionPath(type, name.trim())
    const schema = findSchema(type, path)
    const is_core = schema === type.schema
    const isOf = ({ path: [outer, inner] }: Place) => (is_core ? !inner : outer === schema?.id)
    if (schema) return type.places.filter(isOf).map((place) => ({ place }))
    try {
      return [parseTarget(type, path)]
    } catch {
      // Names that a type does not have are left out, since one list serves several types (RFC 7644 §3.4.2.5).
      return []
    }
  })
}
