import { isDeepStrictEqual } from 'node:util'
import { findSchema, type Place, type ResourceType, wholeOf } from './attribute.ts'
import { attributesIn, folded, onePrimary, readValue, requireLength, requireSchema } from './body.ts'
import { parseTarget, type Target } from './filter.ts'
import { matches } from './match.ts'
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

const isApart = (place: Place) => wholeOf(place).own.stored?.is_apart === true

/** Reads a whole resource: each attribute that it gives is replaced. One that is unassigned is as if it were absent. */
export function readWhole(type: ResourceType, body: unknown): Change[] {
  const given = attributesIn(type, body).map(({ place, value }) => ({ place, value: readValue(place.own, value) }))
  // An empty list of members takes them all out (design 8.2).
  const meant = given.filter(({ place, value }) => value !== undefined || isApart(place))
  return meant.map(({ place, value }) => ({ op: 'replace', target: { place }, value }))
}

/** Reads the body of a PATCH: one change for each operation, or for each key of a value without a path. */
export function readChanges(type: ResourceType, body: unknown, id: string): Change[] {
  const { schemas, operations } = folded(body)
  requireSchema(schemas, patch_urn)
  if (!Array.isArray(operations) || operations.length === 0) throw refuse('invalidSyntax', 'Operations is empty.')
  const changes = operations.flatMap((operation) => changesOf(type, folded(operation), id))
  if (changes.length > operations_max) throw refuse('tooMany', `More than ${operations_max} operations.`)
  return changes
}

function changesOf(type: ResourceType, { op: given_op, path, value }: Resource, id: string): Change[] {
  const op = readOperation(given_op)
  if (!op) throw refuse('invalidSyntax', `op is add, replace or remove, not ${JSON.stringify(given_op)}.`)
  if (isAssigned(path)) return changeOf(type, op, String(path), value)
  if (op === 'remove') throw refuse('noTarget', 'remove needs a path.')
  if (!asResource(value)) throw refuse('invalidValue', 'Without a path, value is an object of attributes.')
  return Object.entries(withoutOwnId(Object(value), id)).flatMap(([name, one]) => {
    const extension = findSchema(type, name)
    if (!extension) return /^schemas$/i.test(name) ? [] : changeOf(type, op, name, one)
    const inner = Object.entries(asResource(one) ?? {})
    return inner.flatMap(([own, part]) => changeOf(type, op, `${extension.id}:${own}`, part))
  })
}

function changeOf(type: ResourceType, op: Change['op'], path: string, value: unknown): Change[] {
  const target = parseTarget(type, readExtensionPath(type, path))
  const { own, whole, key } = target.place
  if (own.mutability === 'readOnly') throw refuse('mutability', `${key} is read-only.`)
  const read = op === 'remove' ? undefined : readValue(own, value, whole && `${whole.key}.`)
  if (read !== undefined) return [{ op, target, value: read }]
  // Nothing is added; replaced by nothing it is emptied, whatever the value would name.
  if (op === 'add') return []
  if (own.required) throw refuse('mutability', `${key} is required.`)
  return [{ op: 'remove', target, value: op === 'remove' ? value : undefined }]
}

/** A change of members: sets of ids, in their order, so that the members are never loaded. */
export type MemberChange =
  | { readonly kind: 'add' | 'remove' | 'set'; readonly ids: readonly string[] }
  | { readonly kind: 'remove where'; readonly target: Target }

/** The changes of `members` among these. */
export function memberChanges(changes: readonly Change[]): MemberChange[] {
  return changes.filter(({ target }) => isApart(target.place)).map(memberChange)
}

function memberChange({ op, target, value }: Change): MemberChange {
  if (target.place.whole) throw refuse('mutability', 'The parts of a member do not change.')
  if (target.filter && op === 'remove') return { kind: 'remove where', target }
  if (target.filter) throw refuse('invalidPath', 'Members between brackets can be removed only.')
  const named = op === 'remove' ? membersNamed(value) : undefined
  if (named) return { kind: 'remove', ids: named }
  // The cast holds because the value of a list is one of objects.
  const ids = ((op === 'remove' ? [] : (value ?? [])) as Resource[]).map(({ value: id, type = 'User' }) => {
    if (typeof id !== 'string') throw refuse('invalidValue', 'A member has no value, the id of a user.')
    if (type !== 'User') throw refuse('invalidValue', 'Groups hold users only.')
    return id
  })
  return { kind: op === 'add' ? 'add' : 'set', ids }
}

/** A resource as changes leave it (RFC 7644 §3.5.2), without those of members; what it was stays as it is. */
export function applyChanges(resource: Resource, changes: readonly Change[]): Resource {
  return changes
    .filter(({ target }) => !isApart(target.place))
    .reduce((before, change) => {
      const { path, own } = wholeOf(change.target.place)
      const value = valueAt(before, path)
      // The cast holds because the value of a list is one of objects.
      const after = own.multiValued ? changedList((value ?? []) as Resource[], change) : changedOne(value, change)
      // After every step: the next one compares with all that is there, and a thousand may come.
      requireLength(own, after)
      return withValue(before, path, after)
    }, resource)
}

/** A single value: set, its parts merged, or unassigned. */
function changedOne(before: unknown, { op, target: { place, filter }, value }: Change): unknown {
  const { own, whole } = place
  const next = op === 'remove' ? undefined : value
  if (filter && !matches(filter, before, true)) return op === 'remove' ? before : missing(place)
  if (whole) return withValue(asResource(before) ?? {}, [own.name], next)
  return own.type === 'complex' && next ? { ...asResource(before), ...asResource(next) } : next
}

function changedList(before: readonly Resource[], change: Change): unknown {
  const { op, target, value } = change
  if (target.filter || target.place.whole) return changedElements(before, change)
  if (op !== 'add') return op === 'replace' ? value : undefined
  // The cast holds because the value of a list is one of objects.
  const added = (value as Resource[]).filter((one) => !before.some((other) => isDeepStrictEqual(one, other)))
  return onePrimary([...before, ...added], added)
}

/** The elements that the brackets name, or all of them. */
function changedElements(before: readonly Resource[], { op, target: { place, filter }, value }: Change): unknown {
  const { own, whole } = place
  const isMeant = (element: Resource) => !filter || matches(filter, element, true)
  const mapped = (change: (element: Resource) => Resource) => before.map((one) => (isMeant(one) ? change(one) : one))
  if (op === 'remove') return mapped((one) => (whole ? withValue(one, [own.name], undefined) : {})).filter(isAssigned)
  const [parts = {}, ...others] = whole ? [{ [own.name]: value }] : [value].flat().map((one) => Object(one) as Resource)
  if (others.length > 0) throw refuse('invalidValue', `${place.key} between brackets takes one value.`)
  if (before.some(isMeant)) {
    const touched = mapped((one) => (op === 'replace' && !whole ? { ...parts } : { ...one, ...parts }))
    return onePrimary(touched, parts.primary ? touched.filter((one, at) => one !== before[at]) : [])
  }
  const element = whole && filter && elementOf(filter)
  const added = element ? { ...element, ...parts } : missing(place)
  return onePrimary([...before, added], [added])
}

function missing({ key }: Place): never {
  throw refuse('noTarget', `No value of ${key} satisfies the filter of the path.`)
}
