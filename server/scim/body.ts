import { type Attribute, type Place, placesIn, type ResourceType, schemaOf } from './attribute.ts'
import { readBoolean, readMembers, readReference } from './quirks.ts'
import { refuse } from './refusals.ts'
import { asResource, isAssigned, type Resource } from './resource.ts'

/** Limits of a body (design 4). */
const limits = { characters: 1_024, elements: 50, members: 10_000, name_characters: 256 } as const

/** The JSON object that a text is. */
export function parseBody(text: string | undefined): Resource {
  if (text === undefined) throw refuse('invalidSyntax', 'The body is empty.')
  try {
    const parsed = asResource(JSON.parse(text))
    if (parsed) return parsed
  } catch {
    throw refuse('invalidSyntax', 'The body is not JSON.')
  }
  throw refuse('invalidSyntax', 'The body is not a JSON object.')
}

/** An object by its names in lower case, among which none stands twice (RFC 7643 §2.1). */
export function folded(value: unknown, prefix = ''): Resource {
  const given = asResource(value)
  if (!given) throw refuse('invalidSyntax', 'A JSON object is missing.')
  const names = new Set<string>()
  for (const name of Object.keys(given).map((one) => one.toLowerCase())) {
    if (name === '__proto__') throw refuse('invalidSyntax', '__proto__ is not the name of an attribute.')
    if (names.has(name)) throw refuse('invalidSyntax', `${prefix}${name} stands there twice.`)
    names.add(name)
  }
  return Object.fromEntries(Object.entries(given).map(([name, one]) => [name.toLowerCase(), one]))
}

/** A message names its schema, where it names any. */
export function requireSchema(schemas: unknown, isIt: (urn: string) => boolean, wanted: string): void {
  if (schemas === undefined || (Array.isArray(schemas) && schemas.some((urn) => isIt(String(urn))))) return
  throw refuse('invalidSyntax', `schemas does not name ${wanted}.`)
}

/** The attributes that a body gives; those that are unknown or read-only are ignored (RFC 7644 §3.3). */
export function attributesIn(type: ResourceType, body: Resource): { place: Place; value: unknown }[] {
  const given = folded(body)
  requireSchema(given.schemas, (urn) => schemaOf(type, urn) === type.schema, type.schema.id)
  return [type.schema, ...type.extensions].flatMap((schema) => {
    const { id } = schema
    const values = schema === type.schema ? given : folded(asResource(given[id.toLowerCase()]) ?? {}, `${id}:`)
    return placesIn(type, schema).flatMap((place) =>
      givenIn(values, place.attribute).map((value) => ({ place, value })),
    )
  })
}

/** The value of an attribute, where it may be written and is given at all. */
function givenIn(values: Resource, { name, mutability }: Attribute): unknown[] {
  const key = name.toLowerCase()
  return mutability !== 'readOnly' && Object.hasOwn(values, key) ? [values[key]] : []
}

/** Required attributes have to be there, and none of them is empty (RFC 7643 §2.2). */
export function requireWhole({ schema }: ResourceType, resource: Resource): void {
  for (const { name, required } of schema.attributes) {
    if (required && !isAssigned(resource[name])) throw refuse('invalidValue', `${name} is required.`)
  }
}

/** A value in the type of its attribute; undefined where it is unassigned. */
export function readValue(attribute: Attribute, value: unknown, prefix = ''): unknown {
  const name = `${prefix}${attribute.name}`
  const is_apart = attribute.stored?.is_apart
  const given = is_apart ? readMembers(value) : readReference(attribute, value)
  if (!isAssigned(given)) return undefined
  if (!attribute.multiValued) return assignedOnly(readOne(attribute, given, name))
  const most = is_apart ? limits.members : limits.elements
  const elements = (Array.isArray(given) ? given : [given]).filter(isAssigned)
  if (elements.length > most) throw refuse('invalidValue', `${name} holds ${most} values at most.`)
  const read = elements.map((element) => readOne(attribute, element, name)).filter(isAssigned)
  return assignedOnly(onePrimary(read))
}

const assignedOnly = (value: unknown) => (isAssigned(value) ? value : undefined)

function readOne(attribute: Attribute, value: unknown, name: string): unknown {
  if (attribute.type === 'complex') return readComplex(attribute, value, name)
  if (attribute.type === 'boolean') {
    const read = readBoolean(value)
    if (read === undefined) throw refuse('invalidValue', `${name} is true or false.`)
    return read
  }
  if (typeof value !== 'string') throw refuse('invalidValue', `${name} is a text.`)
  const most = attribute.required ? limits.name_characters : limits.characters
  if ([...value].length > most) throw refuse('invalidValue', `${name} has ${most} characters at most.`)
  if (value.includes('\0')) throw refuse('invalidValue', `${name} holds a character that no text may have.`)
  return value
}

/** The parts that an object gives, under their own names. */
function readComplex({ subAttributes = [] }: Attribute, value: unknown, name: string): Resource {
  if (!asResource(value)) throw refuse('invalidValue', `${name} is an object.`)
  const given = folded(value, `${name}.`)
  const read = subAttributes.flatMap((sub) =>
    givenIn(given, sub).map((one) => [sub.name, readValue(sub, one, `${name}.`)] as const),
  )
  return Object.fromEntries(read.filter(([, one]) => one !== undefined))
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
