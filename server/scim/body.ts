import { refuse } from './errors.ts'
import { asResource, isAssigned, type Resource } from './match.ts'
import { readBoolean, readMembers, readReference } from './quirks.ts'
import { type Attribute, attributeIn, type ResourceType, schemaOf } from './schema.ts'

/** Limits of a body (design 4). */
export const body_limits = { characters: 1_024, elements: 50, members: 10_000, name_characters: 256 } as const

/**
 * The attributes that a client may write, under their names, in the type of the schema; what is unassigned is absent.
 * Unknown and read-only ones are ignored (RFC 7644 §3.3). Throws `invalidSyntax` and `invalidValue`.
 */
export function readResource(type: ResourceType, body: unknown): Resource {
  const given = asResource(body)
  if (!given) throw refuse('invalidSyntax', 'The body is not a JSON object.')
  requireSchemas(type, given)
  const found = readComplex(type.schema.attributes, given, '')
  for (const [name, value] of Object.entries(given)) {
    const extension = schemaOf(type, name)
    const values = asResource(value)
    if (!extension || extension === type.schema || !values) continue
    const read = readComplex(extension.attributes, values, `${extension.id}:`)
    if (Object.keys(read).length > 0) found[extension.id] = read
  }
  return found
}

/** Required attributes have to be there, and none of them is empty (RFC 7643 §2.2). */
export function requireWhole({ schema }: ResourceType, resource: Resource): void {
  for (const { name, required } of schema.attributes) {
    if (required && !isAssigned(resource[name])) throw refuse('invalidValue', `${name} is required.`)
  }
}

function requireSchemas(type: ResourceType, given: Resource): void {
  const name = Object.keys(given).find((key) => key.toLowerCase() === 'schemas')
  const schemas = name === undefined ? undefined : given[name]
  if (schemas === undefined) return
  const isNamed = Array.isArray(schemas) && schemas.some((urn) => schemaOf(type, String(urn)) === type.schema)
  if (!isNamed) throw refuse('invalidSyntax', `schemas does not name ${type.schema.id}.`)
}

/** The sub-attributes that an object gives, by their own names. */
export function readComplex(attributes: readonly Attribute[], given: Resource, prefix: string): Resource {
  const found: Resource = {}
  const seen = new Set<string>()
  for (const [key, value] of Object.entries(given)) {
    const folded = key.toLowerCase()
    if (key === '__proto__') throw refuse('invalidSyntax', '__proto__ is not the name of an attribute.')
    if (seen.has(folded)) throw refuse('invalidSyntax', `${prefix}${key} stands there twice.`)
    seen.add(folded)
    const attribute = attributeIn(attributes, key)
    if (!attribute || attribute.mutability === 'readOnly') continue
    const read = readValue(attribute, value, prefix)
    if (read !== undefined) found[attribute.name] = read
  }
  return found
}

/** A value in the type of its attribute; undefined where it is unassigned. */
export function readValue(attribute: Attribute, value: unknown, prefix = ''): unknown {
  const name = `${prefix}${attribute.name}`
  const given = attribute.name === 'members' ? readMembers(value) : readReference(attribute, value)
  if (!isAssigned(given)) return undefined
  if (!attribute.multiValued) return readOne(attribute, given, name)
  const most = attribute.name === 'members' ? body_limits.members : body_limits.elements
  const elements = (Array.isArray(given) ? given : [given]).filter(isAssigned)
  if (elements.length > most) throw refuse('invalidValue', `${name} holds ${most} values at most.`)
  const read = elements.map((element) => readOne(attribute, element, name)).filter(isAssigned)
  return read.length > 0 ? onePrimary(read) : undefined
}

function readOne(attribute: Attribute, value: unknown, name: string): unknown {
  if (attribute.type === 'complex') {
    const given = asResource(value)
    if (!given) throw refuse('invalidValue', `${name} is an object.`)
    const read = readComplex(attribute.subAttributes ?? [], given, `${name}.`)
    return Object.keys(read).length > 0 ? read : undefined
  }
  if (attribute.type === 'boolean') {
    const read = readBoolean(value)
    if (read === undefined) throw refuse('invalidValue', `${name} is true or false.`)
    return read
  }
  if (typeof value !== 'string') throw refuse('invalidValue', `${name} is a text.`)
  const most = attribute.required ? body_limits.name_characters : body_limits.characters
  if ([...value].length > most) throw refuse('invalidValue', `${name} has ${most} characters at most.`)
  if (value.includes('\0')) throw refuse('invalidValue', `${name} holds a character that no text may have.`)
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
