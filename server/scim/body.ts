import { faultOfLines, tidy } from '#core/values.ts'
import type { Attribute, Place, ResourceType } from './attribute.ts'
import { readBoolean, readMembers, readReference } from './quirks.ts'
import { refuse } from './refusals.ts'
import { asResource, isAssigned, type Resource, valueAt } from './resource.ts'

/** Limits of a body (design 4). */
const limits = { characters: 1_024, elements: 50, members: 10_000, name_characters: 256 } as const

export function parseBody(text: string | undefined): unknown {
  if (text === undefined) throw refuse('invalidSyntax', 'The body is empty.')
  try {
    return JSON.parse(text)
  } catch {
    throw refuse('invalidSyntax', 'The body is not JSON.')
  }
}

/** An object by its names in lower case, among which none stands twice (RFC 7643 §2.1). */
export function folded(value: unknown): Resource {
  if (!asResource(value)) throw refuse('invalidSyntax', 'A JSON object is missing.')
  const members = Object.entries(Object(value)).map(([key, one]) => [key.toLowerCase(), one] as const)
  const seen = new Set<string>(['__proto__'])
  for (const [key] of members) {
    if (seen.has(key)) throw refuse('invalidSyntax', `${key} stands there twice, or is no name.`)
    seen.add(key)
  }
  return Object.fromEntries(members)
}

/** A message names its schema, where it names any. */
export function requireSchema(schemas: unknown, wanted: string): void {
  const isIt = (urn: unknown) => String(urn).toLowerCase() === wanted.toLowerCase()
  if (schemas === undefined || (Array.isArray(schemas) && schemas.some(isIt))) return
  throw refuse('invalidSyntax', `schemas does not name ${wanted}.`)
}

/** The attributes that a body gives; those that are unknown or read-only are ignored (RFC 7644 §3.3). */
export function attributesIn(type: ResourceType, body: unknown): { place: Place; value: unknown }[] {
  const given = folded(body)
  requireSchema(given.schemas, type.schema.id)
  const extended = type.extensions.map(({ id }) => [id, folded(asResource(given[id.toLowerCase()]) ?? {})] as const)
  const holders = new Map<string | undefined, Resource>(extended)
  return type.places.flatMap((place) =>
    givenIn(holders.get(place.path[0]) ?? given, place.own).map((value) => ({ place, value })),
  )
}

/** The value of an attribute, where it may be written and is given at all. */
function givenIn(values: Resource, { name, mutability }: Attribute): unknown[] {
  const key = name.toLowerCase()
  return mutability !== 'readOnly' && Object.hasOwn(values, key) ? [values[key]] : []
}

/** Required attributes have to be there, and none of them is empty (RFC 7643 §2.2). */
export function requireWhole({ places }: ResourceType, resource: Resource): void {
  const missing = places.find(({ own, path }) => own.required && !isAssigned(valueAt(resource, path)))
  if (missing) throw refuse('invalidValue', `${missing.key} is required.`)
}

/** A value in the type of its attribute; undefined where it is unassigned. */
export function readValue(attribute: Attribute, value: unknown, outer = ''): unknown {
  const name = `${outer}${attribute.name}`
  const is_apart = attribute.stored?.is_apart
  const given = is_apart ? readMembers(value) : readReference(attribute, value)
  const read = attribute.multiValued ? readList(attribute, given, name) : readOne(attribute, given, name)
  return isAssigned(read) ? read : undefined
}

function readList(attribute: Attribute, given: unknown, name: string): unknown[] {
  const elements = [given].flat().filter(isAssigned)
  requireLength(attribute, elements, name)
  return onePrimary(elements.map((element) => readOne(attribute, element, name)).filter(isAssigned))
}

/** A list has no more values than one may have. */
export function requireLength({ name, stored }: Attribute, value: unknown, shown_name = name): void {
  const most = stored?.is_apart ? limits.members : limits.elements
  if (Array.isArray(value) && value.length > most)
    throw refuse('invalidValue', `${shown_name} holds ${most} values at most.`)
}

function readOne({ type, required, subAttributes = [] }: Attribute, value: unknown, name: string): unknown {
  if (!isAssigned(value)) return undefined
  if (type === 'complex') {
    if (!asResource(value)) throw refuse('invalidValue', `${name} is an object.`)
    const given = folded(value)
    const parts = subAttributes.flatMap((sub) =>
      givenIn(given, sub).map((one) => [sub.name, readValue(sub, one, `${name}.`)] as const),
    )
    return Object.fromEntries(parts.filter(([, part]) => part !== undefined))
  }
  const read = type === 'boolean' ? readBoolean(value) : value
  if (type === 'boolean' && read === undefined) throw refuse('invalidValue', `${name} is true or false.`)
  if (type === 'boolean') return read
  if (typeof value !== 'string') throw refuse('invalidValue', `${name} is a text.`)
  const most = required ? limits.name_characters : limits.characters
  if ([...value].length > most) throw refuse('invalidValue', `${name} has ${most} characters at most.`)
  if (!value.isWellFormed()) throw refuse('invalidValue', `${name} holds half a character.`)
  // As REST has it: such a text would turn the line it is shown in, or end it.
  const fault = faultOfLines(tidy(value))
  if (fault) throw refuse('invalidValue', `${name} ${fault}.`)
  return value
}

/** Of several primary values the last one is it (RFC 7643 §2.4 allows one). */
export function onePrimary(elements: readonly unknown[], winners: readonly unknown[] = elements): unknown[] {
  const winner = winners.findLast((element) => asResource(element)?.primary === true)
  if (!winner) return [...elements]
  return elements.map((element) => {
    const { primary, ...rest } = asResource(element) ?? {}
    return element === winner || primary === undefined ? element : rest
  })
}
