import { faultOfLines, tidy } from '#core/values.ts'
import { isApart, isList, isWritable, type Place, type ResourceType } from './attribute.ts'
import { namesSchema, readBoolean, readMembers, readReference } from './quirks.ts'
import { refuse } from './refusals.ts'
import { asResource, isAssigned, orUnassigned, pruned, type Resource, valueAt } from './resource.ts'

/** Limits of a body (design 4). */
const limits = { characters: 1_024, elements: 50, members: 10_000, name_characters: 256, levels: 16 } as const

/** A body that was read as JSON before. One that is nested without end could end the process. */
export function parseBody(text = ''): unknown {
  if (text === '') throw refuse('invalidSyntax', 'The body is empty.')
  const body: unknown = JSON.parse(text)
  if (isDeeper(body, limits.levels)) throw refuse('invalidSyntax', `The body has more than ${limits.levels} levels.`)
  return body
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1))
}

/** An object by its names in lower case, among which none stands twice (RFC 7643 §2.1). */
export function folded(value: unknown): Resource {
  if (!asResource(value)) throw refuse('invalidSyntax', 'A JSON object is missing.')
  const seen = new Set<string>(['__proto__'])
  const members = Object.entries(Object(value)).map(([name, one]) => {
    const key = name.toLowerCase()
    if (seen.has(key)) throw refuse('invalidSyntax', `${key.slice(0, 100)} stands there twice, or is no name.`)
    seen.add(key)
    return [key, one] as const
  })
  return Object.fromEntries(members)
}

export function requireSchema(schemas: unknown, wanted: string): void {
  if (!namesSchema(schemas, wanted)) throw refuse('invalidSyntax', `schemas does not name ${wanted}.`)
}

/** Required attributes have to be there, and none of them is empty (RFC 7643 §2.2). */
export function requireWhole({ places }: ResourceType, resource: Resource): void {
  const missing = places.find(({ own, path }) => own.required && !isAssigned(valueAt(resource, path)))
  if (missing) throw refuse('invalidValue', `${missing.key} is required.`)
}

export function requireLength(place: Place, value: unknown): void {
  const most = isApart(place) ? limits.members : limits.elements
  if (!Array.isArray(value) || value.length <= most) return
  throw refuse('invalidValue', `${place.key} holds ${most} values at most.`)
}

/** A value in the type of its attribute; undefined where it is unassigned. */
export function readValue(place: Place, value: unknown): unknown {
  if (!isList(place)) return readOne(place, readReference(place.own, value))
  const elements = [isApart(place) ? readMembers(value) : value].flat().filter(isAssigned)
  requireLength(place, elements)
  return orUnassigned(onePrimary(elements.map((element) => readOne(place, element)).filter(isAssigned)))
}

function readOne({ key, own: { type, required }, parts }: Place, value: unknown): unknown {
  const invalid = (what: string) => refuse('invalidValue', `${key} ${what}.`)
  if (!isAssigned(value)) return undefined
  if (type === 'complex') {
    if (!asResource(value)) throw invalid('is an object')
    const given = folded(value)
    const sent = ({ own }: Place) => given[own.name.toLowerCase()]
    const read = parts.filter(isWritable).map((part) => [part.own.name, readValue(part, sent(part))])
    return orUnassigned(pruned(Object.fromEntries(read)))
  }
  const flag = type === 'boolean' ? readBoolean(value) : null
  if (flag === undefined) throw invalid('is true or false')
  if (flag !== null) return flag
  if (typeof value !== 'string') throw invalid('is a text')
  const most = required ? limits.name_characters : limits.characters
  if ([...value].length > most) throw invalid(`has ${most} characters at most`)
  if (!value.isWellFormed()) throw invalid('holds half a character')
  if (required && value !== value.trim()) throw invalid('begins or ends with a space')
  // As REST has it: such a text would turn the line it is shown in, or end it.
  const fault = faultOfLines(tidy(value))
  if (fault) throw invalid(fault)
  return tidy(value) === '' ? undefined : value
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
