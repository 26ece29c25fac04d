import { isDeepStrictEqual } from 'node:util'
import { isApart, isList, isWritable, type Place, type ResourceType, wholeOf } from './attribute.ts'
import { folded, onePrimary, readValue, requireLength, requireSchema } from './body.ts'
import { elementOf, matches, parseTarget, type Target } from './filter.ts'
import { keysAsPaths, readExtensionPath, readOperation, withoutOwnId } from './quirks.ts'
import { refuse } from './refusals.ts'
import { asResource, isAssigned, type Resource, valueAt, withValue } from './resource.ts'

export const patch_urn = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const operations_max = 1_000

/** A change of one target. The value is in the type of the target; of a removal it stays as it was sent. */
export type Change = { readonly op: 'add' | 'replace' | 'remove'; readonly target: Target; readonly value: unknown }

/** Reads a whole resource: what it gives is replaced; what is unassigned is absent, but for members (design 8.2). */
export function readWhole(type: ResourceType, body: unknown): Change[] {
  const whole = folded(body)
  requireSchema(whole.schemas, type.schema.id)
  const given = folded(Object.fromEntries(keysAsPaths(type, whole)))
  return type.places.flatMap((place): Change[] => {
    const key = place.key.toLowerCase()
    // Unknown and read-only ones are ignored (RFC 7644 §3.3).
    if (!isWritable(place) || !Object.hasOwn(given, key)) return []
    const value = readValue(place, given[key])
    return value === undefined && !isApart(place) ? [] : [{ op: 'replace', target: { place }, value }]
  })
}

/** Reads the body of a PATCH: one change for each operation, or for each key of a value without a path. */
export function readChanges(type: ResourceType, body: unknown, id: string): Change[] {
  const { schemas, operations } = folded(body)
  requireSchema(schemas, patch_urn)
  if (!Array.isArray(operations) || operations.length === 0)
    throw refuse('invalidSyntax', 'Operations is a list of one or more.')
  const sent = operations.slice(0, operations_max + 1).flatMap((operation) => sentIn(type, folded(operation), id))
  if (sent.length > operations_max) throw refuse('tooMany', `More than ${operations_max} operations.`)
  return sent.flatMap(({ op, path, value }) => changeOf(type, op, path, value))
}

/** The paths that an operation is about, with their values. */
function sentIn(type: ResourceType, { op: given_op, path, value }: Resource, id: string) {
  const op = readOperation(given_op)
  if (!op) throw refuse('invalidSyntax', `op is add, replace or remove, not ${JSON.stringify(given_op)?.slice(0, 40)}.`)
  if (isAssigned(path) && typeof path !== 'string') throw refuse('invalidPath', 'path is a text.')
  if (op !== 'remove' && value === undefined) throw refuse('invalidValue', `${op} needs a value.`)
  if (isAssigned(path)) return [{ op, path: String(path), value }]
  if (op === 'remove') throw refuse('noTarget', 'remove needs a path.')
  const given = asResource(value)
  if (!given) throw refuse('invalidValue', 'Without a path, value is an object of attributes.')
  folded(given)
  const keys = keysAsPaths(type, withoutOwnId(given, id)).filter(([key]) => key.toLowerCase() !== 'schemas')
  return keys.map(([key, one]) => ({ op, path: key, value: one }))
}

function changeOf(type: ResourceType, op: Change['op'], path: string, value: unknown): Change[] {
  const target = parseTarget(type, readExtensionPath(type, path))
  const { own, key, whole } = target.place
  if (!isWritable(target.place)) throw refuse('mutability', `${key} is read-only.`)
  const read = op === 'remove' ? undefined : readValue(target.place, value)
  if (read !== undefined) return [{ op, target, value: read }]
  // Nothing is added; replaced by nothing it is emptied, whatever the value would name.
  if (op === 'add') return []
  // A true alone lets in again whoever was shut out.
  if (own.required || (own.type === 'boolean' && !whole)) throw refuse('mutability', `${key} always has a value.`)
  return [{ op: 'remove', target, value: op === 'remove' ? value : undefined }]
}

/** A resource as changes leave it (RFC 7644 §3.5.2), without those of members; what it was stays as it is. */
export function applyChanges(resource: Resource, changes: readonly Change[]): Resource {
  return changes
    .filter(({ target }) => !isApart(target.place))
    .reduce((before, change) => {
      const whole = wholeOf(change.target.place)
      const value = valueAt(before, whole.path)
      const after = isList(whole) ? changedList(elementsOf(value), change) : changedOne(value, change)
      // After every step: the next one compares with all that is there, and a thousand may come.
      requireLength(whole, after)
      return withValue(before, whole.path, after)
    }, resource)
}

// The cast holds because the value of a list is one of objects.
export const elementsOf = (value: unknown): Resource[] => (value ?? []) as Resource[]

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
  const added = elementsOf(value).filter((one) => !before.some((other) => isDeepStrictEqual(one, other)))
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

/** The places in which a write really differs from what there is; what the client may not see is alike in both. */
export const differenceOf = (type: ResourceType, current: Resource, next: Resource): Place[] =>
  writablePlaces(type).filter(({ path }) => !isDeepStrictEqual(valueAt(current, path), valueAt(next, path)))

/** The places that a client writes, of attributes that are loaded to be changed; single values are written part by part. */
export function writablePlaces({ places }: ResourceType): Place[] {
  const parted = places.flatMap((place) => (isList(place) || place.parts.length === 0 ? [place] : place.parts))
  return parted.filter((place) => !isApart(place) && isWritable(place))
}

/** The columns that differ, of those that take values as they are. */
export function columnsOf(type: ResourceType, current: Resource, next: Resource): object {
  const moved = differenceOf(type, current, next).filter(({ own }) => own.stored?.column)
  return Object.fromEntries(moved.map(({ own, path }) => [own.stored?.column, valueAt(next, path) ?? null]))
}
