import { isDeepStrictEqual } from 'node:util'
import { onePrimary, readValue } from './body.ts'
import { refuse } from './errors.ts'
import { parseTarget, type Target } from './filter.ts'
import { asResource, isAssigned, matchesElement, type Resource } from './match.ts'
import { elementOf, membersNamed, readExtensionPath, readOperation, withoutOwnId } from './quirks.ts'
import { type Attribute, keyOf, type ResourceType, schemaOf } from './schema.ts'

export const patch_urn = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const operations_max = 1_000

/** One operation with its target found and its value as it was sent. */
export interface Change {
  readonly op: 'add' | 'replace' | 'remove'
  readonly target: Target
  readonly value: unknown
}

/** Reads the body of a PATCH: one change for each operation, or for each key of a value without a path. */
export function readChanges(type: ResourceType, body: unknown, id: string): Change[] {
  const given = folded(body)
  const { schemas, operations } = given
  if (schemas !== undefined && !(Array.isArray(schemas) && schemas.includes(patch_urn))) {
    throw refuse('invalidSyntax', `schemas does not name ${patch_urn}.`)
  }
  if (!Array.isArray(operations) || operations.length === 0) throw refuse('invalidSyntax', 'Operations is empty.')
  const changes = operations.flatMap((operation) => changesOf(type, folded(operation), id))
  if (changes.length > operations_max) throw refuse('tooMany', `More than ${operations_max} operations.`)
  return changes
}

/** An object by its names in lower case. */
function folded(value: unknown): Resource {
  const given = asResource(value)
  if (!given) throw refuse('invalidSyntax', 'A JSON object is missing.')
  return Object.fromEntries(Object.entries(given).map(([name, one]) => [name.toLowerCase(), one]))
}

function changesOf(type: ResourceType, { op: given_op, path, value }: Resource, id: string): Change[] {
  const op = readOperation(given_op)
  if (!op) throw refuse('invalidSyntax', `op is add, replace or remove, not ${JSON.stringify(given_op)}.`)
  if (path !== undefined && path !== null && path !== '') {
    if (typeof path !== 'string') throw refuse('invalidPath', 'path is a text.')
    return [changeOf(type, op, path, value)]
  }
  if (op === 'remove') throw refuse('noTarget', 'remove needs a path.')
  const values = asResource(value)
  if (!values) throw refuse('invalidValue', 'Without a path, value is an object of attributes.')
  return Object.entries(withoutOwnId(values, id)).flatMap(([name, one]) => {
    if (/^schemas$/i.test(name)) return []
    const extension = schemaOf(type, name)
    if (!extension) return [changeOf(type, op, name, one)]
    return Object.entries(asResource(one) ?? {}).map(([inner, own]) =>
      changeOf(type, op, `${extension.id}:${inner}`, own),
    )
  })
}

function changeOf(type: ResourceType, op: Change['op'], given_path: string, value: unknown): Change {
  const path = readExtensionPath(type, given_path)
  const target = parseTarget(type, path)
  const { attribute, sub } = target.place
  if ([attribute, sub].some((one) => one?.mutability === 'readOnly')) {
    throw refuse('mutability', `${keyOf(target.place)} is read-only.`)
  }
  const isRemoved = op === 'remove' || (op === 'replace' && !isAssigned(value))
  if (isRemoved && attribute.required) throw refuse('mutability', `${keyOf(target.place)} is required.`)
  // Replaced by nothing, and so emptied: the value names no members to take out.
  if (isRemoved && op === 'replace' && !target.filter) return { op: 'remove', target, value: undefined }
  return { op, target, value }
}

/** A change of members: sets of ids, in their order, so that the members are never loaded. */
export type MemberChange =
  | { readonly kind: 'add' | 'remove' | 'set'; readonly ids: readonly string[] }
  | { readonly kind: 'remove where'; readonly target: Target }

/** The change of `members` that this is; undefined for every other attribute. */
export function memberChange({ op, target, value }: Change): MemberChange | undefined {
  if (target.place.attribute.name !== 'members') return undefined
  if (target.filter) {
    if (op !== 'remove' || target.place.sub)
      throw refuse('invalidPath', 'Members between brackets can be removed only.')
    return { kind: 'remove where', target }
  }
  if (target.place.sub) throw refuse('mutability', 'The parts of a member do not change.')
  if (op === 'remove') {
    const ids = membersNamed(value)
    return ids ? { kind: 'remove', ids } : { kind: 'set', ids: [] }
  }
  return { kind: op === 'add' ? 'add' : 'set', ids: idsOf(target.place.attribute, value) }
}

/** The ids of members that a body names; the list itself may be absent. */
export function idsOf(attribute: Attribute, value: unknown): string[] {
  const members = (readValue(attribute, value) ?? []) as Resource[]
  return members.map((member) => {
    if (typeof member.value !== 'string') throw refuse('invalidValue', 'A member has no value, the id of a user.')
    if (member.type !== undefined && member.type !== 'User') throw refuse('invalidValue', 'Groups hold users only.')
    return member.value
  })
}

/** A resource after one change (RFC 7644 §3.5.2); what it was stays as it is. */
export function applyChange(resource: Resource, change: Change): Resource {
  const { extension, attribute } = change.target.place
  if (!extension) return assigned(resource, attribute.name, changed(resource[attribute.name], change))
  const inner = asResource(resource[extension.id]) ?? {}
  return assigned(resource, extension.id, assigned(inner, attribute.name, changed(inner[attribute.name], change)))
}

function assigned(holder: Resource, name: string, value: unknown): Resource {
  const { [name]: _, ...rest } = holder
  const isEmpty = !isAssigned(value) || (asResource(value) && Object.keys(value as object).length === 0)
  return isEmpty ? rest : { ...rest, [name]: value }
}

function changed(before: unknown, change: Change): unknown {
  const { attribute } = change.target.place
  return attribute.multiValued ? changedList((before ?? []) as Resource[], change) : changedOne(before, change)
}

/** A single value: set, its parts merged, or unassigned. */
function changedOne(before: unknown, { op, target: { place, filter }, value }: Change): unknown {
  const { attribute, sub } = place
  const parts = asResource(before) ?? {}
  if (filter && !matchesElement(filter, parts)) return op === 'remove' ? before : missing(keyOf(place))
  if (op === 'remove') return sub ? assigned(parts, sub.name, undefined) : undefined
  if (sub) return assigned(parts, sub.name, readValue(sub, value, `${attribute.name}.`))
  const read = readValue(attribute, value)
  return attribute.type === 'complex' && read !== undefined ? { ...parts, ...(read as Resource) } : (read ?? before)
}

function changedList(before: readonly Resource[], change: Change): unknown {
  const { op, value } = change
  const { place, filter } = change.target
  const { attribute, sub } = place
  if (filter || sub) return changedElements(before, change)
  if (op === 'remove') return undefined
  const given = (readValue(attribute, value) ?? []) as Resource[]
  if (op === 'replace') return given
  const added = given.filter((one) => !before.some((other) => isDeepStrictEqual(one, other)))
  return onePrimary([...before, ...added], added)
}

/** The elements that the brackets name, or all of them. */
function changedElements(before: readonly Resource[], { op, target: { place, filter }, value }: Change): unknown {
  const { attribute, sub } = place
  const isMeant = (element: Resource) => filter === undefined || matchesElement(filter, element)
  const clears = op === 'remove' || !isAssigned(value)
  if (clears) {
    if (!sub) return before.filter((element) => !isMeant(element))
    const rest = before.map((element) => (isMeant(element) ? assigned(element, sub.name, undefined) : element))
    return rest.filter((element) => Object.keys(element).length > 0)
  }
  const parts = sub ? { [sub.name]: readValue(sub, value, `${attribute.name}.`) } : onePartOf(attribute, value)
  const meant = before.filter(isMeant)
  if (meant.length === 0) {
    const element = sub && filter && elementOf(filter)
    if (!element) return missing(keyOf(place))
    const added = { ...element, ...parts }
    return onePrimary([...before, added], [added])
  }
  const touched = new Map(meant.map((one) => [one, op === 'replace' && !sub ? { ...parts } : { ...one, ...parts }]))
  return onePrimary(
    before.map((one) => touched.get(one) ?? one),
    parts.primary === true ? [...touched.values()] : [],
  )
}

/** The one element that a value gives, alone or in a list. */
function onePartOf(attribute: Attribute, value: unknown): Resource {
  const [element, ...others] = (readValue(attribute, value) ?? []) as Resource[]
  if (!element || others.length > 0) throw refuse('invalidValue', `${attribute.name} between brackets takes one value.`)
  return element
}

function missing(name: string): never {
  throw refuse('noTarget', `No value of ${name} satisfies the filter of the path.`)
}
