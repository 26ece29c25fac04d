/** A resource as clients see it. */
export type Resource = Record<string, unknown>

// The cast holds because an object that is no list has names.
export const asResource = (value: unknown): Resource | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Resource) : undefined

/** `null`, the empty text, the empty list and the empty object mean the same: unassigned (RFC 7643 §2.5). */
export function isAssigned(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}
export const orUnassigned = (value: unknown): unknown => (isAssigned(value) ? value : undefined)

export const valueAt = (resource: Resource, path: readonly string[]): unknown =>
  path.reduce<unknown>((holder, name) => asResource(holder)?.[name], resource)

/** The resource with another value at a path; what is unassigned is absent, and so is what held nothing else. */
export function withValue(resource: Resource, [name = '', ...rest]: readonly string[], value: unknown): Resource {
  const { [name]: old, ...others } = resource
  const next = rest.length > 0 ? withValue(asResource(old) ?? {}, rest, value) : value
  return isAssigned(next) ? { ...resource, [name]: next } : others
}

/** Without anything that is unassigned. */
export function pruned(resource: object): Resource {
  const inner = (value: unknown) => (asResource(value) ? pruned(Object(value)) : value)
  const members = Object.entries(resource).map(([name, value]) => [name, inner(value)] as const)
  return Object.fromEntries(members.filter(([, value]) => isAssigned(value)))
}
