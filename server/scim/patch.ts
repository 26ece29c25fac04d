import { isDeepStrictEqual } from 'node:util'
import { isWritable, keyOf, pathOf, type ResourceType, schemaOf } from './attribute.ts'
import { attributesIn, folded, onePrimary, readValue, requireSchema } from './body.ts'
import { parseTarget, type Target } from './filter.ts'
import { matchesElement } from './match.ts'
import { elementOf, membersNamed, readExtensionPath, readOperation, withoutOwnId } from './quirks.ts'
import { refuse } from './refusals.ts'
import { asResource, isAssigned, type Resource, valueAt, withValue } from './resource.ts'

export const patch_urn = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const operations_max = 1_000

/** A change of one target. The value is in the type of the target; of a removal it stays as it was sent. */
export interface Change {
  readonly op: 'add' | 'replace' | 'remove'
  readonly target: Target
  readonly value: unknown
}

/** Reads a whole resource: each attribute that it gives is replaced. One that is unassigned is as if it were absent. */
export function readWhole(type: ResourceType, body: Resource): Change[] {
  return attributesIn(type, body).flatMap(({ place, value }) => {
    const read = readValue(place.attribute, value)
    // No members are none of them, where absent ones stay (design 8.2).
    const is_given = read !== undefined || place.attribute.stored?.is_apart
    return is_given ? [{ op: 'replace', target: { place }, value: read }] : []
  })
}

/** Reads the body of a PATCH: one change for each operation, or for each key of a value without a path. */
export function readChanges(type: ResourceType, body: unknown, id: string): Change[] {
  const { schemas, operations } = folded(body)
  requireSchema(schemas, (urn) => urn === patch_urn, patch_urn)
  if (!Array.isArray(operations) || operations.length === 0) throw refuse('invalidSyntax', 'Operations is empty.')
  const changes = operations.flatMap((operation) => changesOf(type, folded(operation), id))
  if (changes.length > operations_max) throw refuse('tooMany', `More than ${operations_max} operations.`)
  return changes
}

function changesOf(type: ResourceType, { op: given_op, path, value }: Resource, id: string): Change[] {
  const op = readOperation(given_op)
  if (!op) throw refuse('invalidSyntax', `op is add, replace or remove, not ${JSON.stringify(given_op)}.`)
  if (isAssigned(path)) {
    if (typeof path !== 'string') throw refuse('invalidPath', 'path is a text.')
    return changeOf(type, op, path, value)
  }
  if (op === 'remove') throw refuse('noTarget', 'remove needs a path.')
  const values = asResource(value)
  if (!values) throw refuse('invalidValue', 'Without a path, value is an object of attributes.')
  return Object.entries(withoutOwnId(values, id)).flatMap(([name, one]) => {
    if (/^schemas$/i.test(name)) return []
    const extension = schemaOf(type, name)
    if (!extension) return changeOf(type, op, name, one)
    return Object.entries(asResource(one) ?? {}).flatMap(([inner, own]) =>
      changeOf(type, op, `${extension.id}:${inner}`, own),
    )
  })
}

function changeOf(type: ResourceType, op: Change['op'], path: string, value: unknown): Change[] {
  const target = parseTarget(type, readExtensionPath(type, path))
  const { attribute, sub } = target.place
  const name = keyOf(target.place)
  if (!isWritable(target.place)) throw refuse('mutability', `${name} is read-only.`)
  const read = op === 'remove' ? undefined : readValue(sub ?? attribute, value, sub ? `${attribute.name}.` : '')
  if (read !== undefined) return [{ op, target, value: read }]
  // Nothing is added; replaced by nothing it is emptied, whatever the value would name.
  if (op === 'add') return []
  if (attribute.required) throw refuse('mutability', `${name} is required.`)
  return [{ op: 'remove', target, value: op === 'remove' ? value : undefined }]
}

/** A change of members: sets of ids, in their order, so that the members are never loaded. */
export type MemberChange =
  | { readonly kind: 'add' | 'remove' | 'set'; readonly ids: readonly string[] }
  | { readonly kind: 'remove where'; readonly target: Target }

/** The change of `members` that this is; undefined for every other attribute. */
export function memberChange({ op, target, value }: Change): MemberChange | undefined {
  if (!target.place.attribute.stored?.is_apart) return undefined
  if (target.place.sub) throw refuse('mutability', 'The parts of a member do not change.')
  if (target.filter) {
    if (op !== 'remove') throw refuse('invalidPath', 'Members between brackets can be removed only.')
    return { kind: 'remove where', target }
  }
  if (op !== 'remove') return { kind: op === 'add' ? 'add' : 'set', ids: idsOf(value) }
  const ids = membersNamed(value)
  return ids ? { kind: 'remove', ids } : { kind: 'set', ids: [] }
}

function idsOf(members: unknown): string[] {
  // The cast holds because the value of a list is one of objects.
  return ((members ?? []) as Resource[]).map(({ value, type = 'User' }) => {
    if (typeof value !== 'string') throw refuse('invalidValue', 'A member has no value, the id of a user.')
    if (type !== 'User') throw refuse('invalidValue', 'Groups hold users only.')
    return value
  })
}

/** A resource after one change (RFC 7644 §3.5.2); what it was stays as it is. */
export function applyChange(resource: Resource, change: Change): Resource {
  const { sub: _, ...whole } = change.target.place
  const path = pathOf(whole)
  const before = valueAt(resource, path)
  // The cast holds because the value of a list is one of objects.
  const after = whole.attribute.multiValued
    ? changedList((before ?? []) as Resource[], change)
    : changedOne(before, change)
  return withValue(resource, path, after)
}

/** A single value: set, its parts merged, or unassigned. */
function changedOne(before: unknown, { op, target: { place, filter }, value }: Change): unknown {
  const { attribute, sub } = place
  const parts = asResource(before) ?? {}
  if (filter && !matchesElement(filter, parts)) return op === 'remove' ? before : missing(keyOf(place))
  const next = op === 'remove' ? undefined : value
  if (sub) return withValue(parts, [sub.name], next)
  return next !== undefined && attribute.type === 'complex' ? { ...parts, ...asResource(next) } : next
}

function changedList(before: readonly Resource[], change: Change): unknown {
  const { op, target, value } = change
  if (target.filter || target.place.sub) return changedElements(before, change)
  if (op === 'remove') return undefined
  if (op === 'replace') return value
  // The cast holds because the value of a list is one of objects.
  const added = (value as Resource[]).filter((one) => !before.some((other) => isDeepStrictEqual(one, other)))
  return onePrimary([...before, ...added], added)
}

/** The elements that the brackets name, or all of them. */
function changedElements(before: readonly Resource[], { op, target: { place, filter }, value }: Change): unknown {
  const { attribute, sub } = place
  const meant = new Set(before.filter((element) => !filter || matchesElement(filter, element)))
  if (op === 'remove') {
    const without = (element: Resource) => (sub ? withValue(element, [sub.name], undefined) : {})
    return before.map((element) => (meant.has(element) ? without(element) : element)).filter(isAssigned)
  }
  const parts = sub ? { [sub.name]: value } : onlyOneOf(attribute.name, value)
  if (meant.size === 0) {
    const element = sub && filter && elementOf(filter)
    if (!element) return missing(keyOf(place))
    const added = { ...element, ...parts }
    return onePrimary([...before, added], [added])
  }
  const touched = new Map([...meant].map((one) => [one, op === 'replace' && !sub ? parts : { ...one, ...parts }]))
  const after = before.map((one) => touched.get(one) ?? one)
  return onePrimary(after, parts.primary === true ? [...touched.values()] : [])
}

function onlyOneOf(name: string, value: unknown): Resource {
  // The cast holds because the value of a list is one of objects.
  const [element, ...others] = value as Resource[]
  if (!element || others.length > 0) throw refuse('invalidValue', `${name} between brackets takes one value.`)
  return element
}

function missing(name: string): never {
  throw refuse('noTarget', `No value of ${name} satisfies the filter of the path.`)
}
