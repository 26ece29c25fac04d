import { refuse } from './errors.ts'
import { type Filter, parseTarget, type Target } from './filter.ts'
import { asResource, matchesElement, type Resource } from './match.ts'
import { readExtensionPath } from './quirks.ts'
import { attributeIn, keyOf, type Place, type ResourceType, schemaOf } from './schema.ts'

/** The names that a client asks for or leaves out, as they came: comma lists, repeated or not. */
export interface Asked {
  readonly attributes?: readonly string[] | undefined
  readonly excluded_attributes?: readonly string[] | undefined
}

/** Reads what a client wants to see of a resource (RFC 7644 §3.9); `id` and `schemas` are always shown. */
export function projectionOf(type: ResourceType, { attributes, excluded_attributes }: Asked) {
  if (attributes && excluded_attributes) {
    throw refuse('invalidValue', 'attributes and excludedAttributes exclude one another.')
  }
  const wanted = attributes && placesOf(type, attributes)
  const unwanted = excluded_attributes ? placesOf(type, excluded_attributes) : []
  const isAlways = ({ attribute }: Place) => attribute.returned === 'always'
  return {
    /** False where the attribute is not shown at all, so that it need not be read. */
    shows: (name: string) => {
      const names = ({ place: { attribute } }: Target) => attribute.name === name
      return wanted ? wanted.some(names) : !unwanted.some((one) => names(one) && !one.place.sub && !one.filter)
    },
    /** The resource with the parts that are shown, `schemas` naming the extensions among them. */
    of(resource: Resource): Resource {
      const shown = wanted
        ? wanted.reduce((found, target) => added(found, resource, target), {} as Resource)
        : unwanted.filter(({ place }) => !isAlways(place)).reduce(without, resource)
      const { schemas, id } = resource
      const urns = (schemas as string[]).filter((urn, place) => place === 0 || asResource(shown[urn]))
      return { ...shown, schemas: urns, id }
    },
  }
}

function placesOf(type: ResourceType, names: readonly string[]): Target[] {
  return names.flatMap(splitOutsideBrackets).flatMap((given) => {
    const name = readExtensionPath(type, given)
    const schema = schemaOf(type, name)
    if (schema) {
      const extension = schema === type.schema ? {} : { extension: schema }
      return schema.attributes.map((attribute) => ({ place: { ...extension, attribute } }))
    }
    // Names that a type does not have are left out, since one list serves several types (RFC 7644 §3.4.2.5).
    return /^(schemas)$/i.test(name) ? [] : targetOf(type, name)
  })
}

function targetOf(type: ResourceType, name: string): Target[] {
  try {
    return [parseTarget(type, name)]
  } catch {
    return []
  }
}

/** Commas within brackets are part of a filter. */
function splitOutsideBrackets(text: string): string[] {
  return text.split(/,(?![^[]*\])/).flatMap((part) => part.trim() || [])
}

const holderOf = (resource: Resource, { extension }: Place) =>
  extension ? (asResource(resource[extension.id]) ?? {}) : resource

function added(found: Resource, resource: Resource, { place, filter }: Target): Resource {
  const { extension, attribute, sub } = place
  const value = narrowed(holderOf(resource, place)[attribute.name], filter)
  if (value === undefined) return found
  const before = holderOf(found, place)[attribute.name]
  const shown = sub ? partsOf(value, sub.name, before) : value
  if (!extension) return { ...found, [attribute.name]: shown }
  return { ...found, [extension.id]: { ...holderOf(found, place), [attribute.name]: shown } }
}

function narrowed(value: unknown, filter: Filter | undefined): unknown {
  if (!filter || !Array.isArray(value)) return value
  return value.filter((element) => matchesElement(filter, element))
}

/** One part of a value or of each of its elements, beside those that are shown already. */
function partsOf(value: unknown, name: string, before: unknown): unknown {
  if (Array.isArray(value)) {
    const elements = Array.isArray(before) ? before : []
    return value.map((element, at) => partsOf(element, name, elements[at]))
  }
  const part = asResource(value)?.[name]
  return { ...asResource(before), ...(part !== undefined && { [name]: part }) }
}

function without(resource: Resource, { place, filter }: Target): Resource {
  const { extension, attribute, sub } = place
  const holder = holderOf(resource, place)
  const { [attribute.name]: value, ...rest } = holder
  const isMeant = (element: unknown) => !filter || matchesElement(filter, element)
  const withoutPart = (element: unknown) => {
    const { [sub?.name ?? '']: _, ...others } = asResource(element) ?? {}
    return others
  }
  const left = (): unknown => {
    if (!Array.isArray(value)) return sub && value !== undefined ? withoutPart(value) : undefined
    if (!sub) return filter ? value.filter((element) => !isMeant(element)) : undefined
    return value.map((element) => (isMeant(element) ? withoutPart(element) : element))
  }
  const kept = left()
  const changed = kept === undefined ? rest : { ...rest, [attribute.name]: kept }
  return extension ? { ...resource, [extension.id]: changed } : changed
}

/** The place to sort by; a multi-valued attribute is sorted by the value of its primary element. */
export function sortPlaceOf(type: ResourceType, path: string): Place {
  const { place, filter } = parseTarget(type, readExtensionPath(type, path))
  if (filter) throw refuse('invalidPath', 'sortBy takes no filter.')
  if (place.sub || place.attribute.type !== 'complex') return place
  const value = attributeIn(place.attribute.subAttributes, 'value')
  if (!value) throw refuse('invalidPath', `${keyOf(place)} has parts; name one of them.`)
  return { ...place, sub: value }
}
