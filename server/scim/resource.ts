/** A resource as clients see it. */
export type Resource = Record<string, unknown>

export function asResource(value: unknown): Resource | undefined {
  // The cast holds because an object that is no list has names.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Resource) : undefined
}

/** `null`, the empty text, the empty list and the empty object mean the same: unassigned (RFC 7643 §2.5). */
export function isAssigned(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}

export function valueAt(resource: Resource, path: readonly string[]): unknown {
  return path.reduce<unknown>((holder, name) => asResource(holder)?.[name], resource)
}

/** The resource with another value at a path; what is unassigned is absent, and so is what held nothing else. */
export function withValue(resource: Resource, [name = '', ...rest]: readonly string[], value: unknown): Resource {
  const { [name]: old, ...others } = resource
  const next = rest.length > 0 ? withValue(asResource(old) ?? {}, rest, value) : value
  return isAssigned(next) ? { ...resource, [name]: next } : others
}

/** Without anything that is unassigned. */
export function pruned(resource: Resource): Resource {
  const members = Object.entries(resource).map(([name, value]) => {
    const inner = asResource(value)
    return [name, inner ? pruned(inner) : value] as const
  })
  return Object.fromEntries(members.filter(([, value]) => isAssigned(value)))
}
