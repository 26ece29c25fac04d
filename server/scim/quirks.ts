import type { Attribute, ResourceType } from './attribute.ts'
import type { Filter } from './match.ts'
import { asResource, type Resource } from './resource.ts'

/**
 * The requests of known clients that depart from the RFCs and are understood all the same (design 8.5): each function is a
 * row of that table, all are always on, and whatever is not listed is an error.
 */

/** Entra: `"Replace"`, `"ADD"`. */
export function readOperation(op: unknown): 'add' | 'replace' | 'remove' | undefined {
  const word = typeof op === 'string' ? op.toLowerCase() : ''
  return word === 'add' || word === 'replace' || word === 'remove' ? word : undefined
}

/** Entra: `"True"`, `"false"` as a text where a boolean belongs. */
export function readBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  const word = typeof value === 'string' ? value.toLowerCase() : ''
  return word === 'true' ? true : word === 'false' ? false : undefined
}

/** Entra: a dot for the last colon of an extension, `…:enterprise:2.0:User.manager`. */
export function readExtensionPath({ extensions }: ResourceType, path: string): string {
  const found = extensions.find(({ id }) => path.toLowerCase().startsWith(`${id.toLowerCase()}.`))
  return found ? `${found.id}:${path.slice(found.id.length + 1)}` : path
}

/** Entra: a manager as a bare text; `""` removes it. */
export function readReference({ name }: Attribute, value: unknown): unknown {
  return name === 'manager' && typeof value === 'string' && value !== '' ? { value } : value
}

/** Okta and Entra: a member as a bare text, as one object, or with `"$ref": null`. */
export function readMembers(value: unknown): unknown {
  const members = Array.isArray(value) ? value : [value]
  return members.map((member) => (typeof member === 'string' ? { value: member } : member))
}

/** Okta: the `id` of the target within a value without a path. A different one stays, and is refused as read-only. */
export function withoutOwnId(value: Resource, id: string): Resource {
  return Object.fromEntries(Object.entries(value).filter(([name, one]) => name.toLowerCase() !== 'id' || one !== id))
}

/** Entra: removes the members that `value` names, by the path `members`, and never all of them. */
export function membersNamed(value: unknown): string[] | undefined {
  if (value === undefined || value === null) return undefined
  const named = (readMembers(value) as unknown[]).map((member) => asResource(member)?.value)
  return named.filter((id) => typeof id === 'string')
}

/**
 * Entra: `emails[type eq "work"].value` where no such element is: one that satisfies the filter. Undefined where the filter
 * is more than `eq` terms joined by `and`.
 */
export function elementOf(filter: Filter): Resource | undefined {
  if (filter.kind === 'and') {
    const [left, right] = filter.parts.map(elementOf)
    return left && right && { ...left, ...right }
  }
  if (filter.kind !== 'compare' || filter.operator !== 'eq') return undefined
  return { [filter.place.own.name]: filter.value }
}
