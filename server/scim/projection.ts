import { type Place, pathOf, placesIn, type ResourceType, schemaOf } from './attribute.ts'
import { parseTarget, type Target } from './filter.ts'
import { matchesElement } from './match.ts'
import { readExtensionPath } from './quirks.ts'
import { refuse } from './refusals.ts'
import { asResource, isAssigned, type Resource, valueAt, withValue } from './resource.ts'

/** The names that a client asks for or leaves out, as they came: comma lists, repeated or not. */
export interface Asked {
  readonly attributes?: readonly string[] | undefined
  readonly excludedAttributes?: readonly string[] | undefined
}

export interface Projection {
  /** False where the attribute is not shown at all, so that it need not be read. */
  shows(place: Place): boolean
  /** The resource with the parts that are shown. */
  of(resource: Resource): Resource
}

/** Reads what a client wants to see of a resource (RFC 7644 §3.9); what is always returned is always shown. */
export function projectionOf(type: ResourceType, { attributes, excludedAttributes }: Asked): Projection {
  if (attributes && excludedAttributes) {
    throw refuse('invalidValue', 'attributes and excludedAttributes exclude one another.')
  }
  const named = targetsOf(type, attributes ?? excludedAttributes ?? [])
  const is_wanted = attributes !== undefined
  const of = (place: Place) =>
    named.filter((target) => target.place.attribute === place.attribute && target.place.extension === place.extension)
  const isWhole = ({ place, filter }: Target) => !place.sub && !filter
  return {
    shows: (place) => {
      if (place.attribute.returned === 'always') return true
      return is_wanted ? of(place).length > 0 : !of(place).some(isWhole)
    },
    of: (resource) =>
      named.reduce((shown, { place }) => {
        if (place.attribute.returned === 'always') return shown
        const { sub: _, ...whole } = place
        const value = valueAt(resource, pathOf(whole))
        return withValue(shown, pathOf(whole), narrowed(value, of(place), is_wanted))
      }, resource),
  }
}

/** A value, or each element of a list, by what is said of it: its wanted parts, or it without the unwanted ones. */
function narrowed(value: unknown, targets: readonly Target[], is_wanted: boolean): unknown {
  const one = (element: unknown): unknown => {
    const meant = targets.filter(({ filter }) => !filter || matchesElement(filter, element))
    const parts = meant.map(({ place }) => place.sub?.name)
    const is_whole = parts.includes(undefined)
    if (is_whole || !asResource(element)) return is_whole === is_wanted ? element : undefined
    const shown = Object.entries(asResource(element) ?? {}).filter(([name]) => parts.includes(name) === is_wanted)
    return Object.fromEntries(shown)
  }
  return Array.isArray(value) ? value.map(one).filter(isAssigned) : one(value)
}

function targetsOf(type: ResourceType, names: readonly string[]): Target[] {
  // Commas within brackets are part of a filter.
  const split = names.flatMap((text) => text.split(/,(?![^[]*\])/)).map((name) => readExtensionPath(type, name.trim()))
  return split.flatMap((name) => {
    const schema = schemaOf(type, name)
    if (schema) return placesIn(type, schema).map((place) => ({ place }))
    try {
      return [parseTarget(type, name)]
    } catch {
      // Names that a type does not have are left out, since one list serves several types (RFC 7644 §3.4.2.5).
      return []
    }
  })
}
