import { type Attribute, findSchema, isSame, type ResourceType } from './attribute.ts'
import { refuse } from './refusals.ts'
import { asResource, isAssigned, type Resource } from './resource.ts'

/**
 * Requests of known clients that depart from the RFCs and are understood all the same (design 8.5): each function is a row of
 * that table, or two, and `elementOf` of filters another. All are always on; what is not listed is an error.
 */

/** Entra: `"Replace"`, `"ADD"`. */
export const readOperation = (op: unknown): 'add' | 'replace' | 'remove' | undefined =>
  (['add', 'replace', 'remove'] as const).find((one) => typeof op === 'string' && isSame(one, op))

/** Entra: `"True"`, `"false"` as a text where a boolean belongs. */
export function readBoolean(value: unknown): boolean | undefined {
  const word = typeof value === 'string' ? value.toLowerCase() : value
  return word === true || word === 'true' ? true : word === false || word === 'false' ? false : undefined
}

/** Entra: keys that are paths, in a value without one. Those of a schema stand by its URN and their name (RFC 7643 §3.3). */
export function keysAsPaths(type: ResourceType, value: object): [path: string, value: unknown][] {
  return Object.entries(value).flatMap(([key, one]): [string, unknown][] => {
    const schema = findSchema(type, key)
    if (!schema) return [[key, one]]
    if (isAssigned(one) && !asResource(one)) throw refuse('invalidValue', `${schema.id} is an object.`)
    return Object.entries(one ?? {}).map(([name, part]) => [`${schema.id}:${name}`, part])
  })
}

/** Entra: a dot for the last colon of an extension, `…:enterprise:2.0:User.manager`. */
export function readExtensionPath({ extensions }: ResourceType, path: string): string {
  const found = extensions.find(({ id }) => isSame(`${id}.`, path.slice(0, id.length + 1)))
  return found ? `${found.id}:${path.slice(found.id.length + 1)}` : path
}

/** Entra: a manager as a bare text; `""` removes it. */
export const readReference = ({ name }: Attribute, value: unknown): unknown =>
  name === 'manager' && typeof value === 'string' && value !== '' ? { value } : value

/** Okta and Entra: a member as a bare text, as one object, or with `"$ref": null`. */
export const readMembers = (value: unknown): unknown[] =>
  [value].flat().map((member) => (typeof member === 'string' ? { value: member } : member))

/** Entra: removes the members that `value` names, by the path `members`, and never all of them. */
export function membersNamed(value: unknown): string[] | undefined {
  if (value === undefined) return undefined
  const ids = readMembers(value).map((member) => asResource(member)?.value)
  return ids.filter((id) => typeof id === 'string')
}

/** Entra: a URN of its own in `schemas`. Others: no `schemas` at all, which are those of the endpoint. */
export const namesSchema = (schemas: unknown, wanted: string): boolean =>
  !isAssigned(schemas) ||
  (Array.isArray(schemas) && schemas.some((urn) => typeof urn === 'string' && isSame(urn, wanted)))

/** Okta: the `id` of the target within a value without a path. A different one stays, and is refused as read-only. */
export const withoutOwnId = (value: Resource, id: string): Resource =>
  Object.fromEntries(Object.entries(value).filter(([name, one]) => !isSame(name, 'id') || one !== id))

/** Entra: a text or a time without quotation marks in a filter. */
export const isBareWord = (token: string): boolean => !token.startsWith('"')
/** Entra: a slash before the query, `/Users/?aadOptscim062020`; parameters that are unknown are ignored. */
export const spellingsOf = (path: string): string[] => [path, `${path}/`]
