import { type Comparison, type Filter, isExact } from './filter.ts'
import type { Place } from './schema.ts'

/** A resource as clients see it. */
export type Resource = Record<string, unknown>

/** The values at a place: of each element where the attribute is multi-valued. Unassigned ones are left out. */
export function valuesAt(resource: Resource, { extension, attribute, sub }: Place): unknown[] {
  const holder = extension ? asResource(resource[extension.id]) : resource
  const value = holder?.[attribute.name]
  const values = Array.isArray(value) ? value : [value]
  const found = sub ? values.map((one) => asResource(one)?.[sub.name]) : values
  return found.filter(isAssigned)
}

/** `null`, the empty text and the empty list mean the same: unassigned (RFC 7643 §2.5). */
export function isAssigned(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false
  return !Array.isArray(value) || value.length > 0
}

export function asResource(value: unknown): Resource | undefined {
  // The cast holds because an object that is no list has names.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Resource) : undefined
}

/** True if a resource satisfies a filter; the statements of lists say the same in SQL. */
export function matches(filter: Filter, resource: Resource): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.parts.every((part) => matches(part, resource))
    case 'or':
      return filter.parts.some((part) => matches(part, resource))
    case 'not':
      return !matches(filter.part, resource)
    case 'element':
      return valuesAt(resource, filter.place).some((element) => matchesElement(filter.part, element))
    case 'present':
      if (filter.place.sub && filter.place.attribute.multiValued) return anyElement(filter, resource)
      return valuesAt(resource, filter.place).length > 0
    default: {
      if (filter.place.attribute.multiValued) return anyElement(filter, resource)
      const values = valuesAt(resource, filter.place)
      // Of a value that is not there, `ne` is true.
      const [value] = values
      return value === undefined ? filter.operator === 'ne' : compares(value, filter)
    }
  }
}

function anyElement(filter: Filter & { kind: 'present' | 'compare' }, resource: Resource): boolean {
  const { sub: _, ...list } = filter.place
  return valuesAt(resource, list).some((element) => matchesElement(filter, element))
}

/** True if one element of a multi-valued attribute satisfies the filter between the brackets. */
export function matchesElement(filter: Filter, element: unknown): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.parts.every((part) => matchesElement(part, element))
    case 'or':
      return filter.parts.some((part) => matchesElement(part, element))
    case 'not':
      return !matchesElement(filter.part, element)
    case 'element':
      return false
    default: {
      const value = filter.place.sub && asResource(element)?.[filter.place.sub.name]
      if (filter.kind === 'present') return isAssigned(value)
      return isAssigned(value) ? compares(value, filter) : filter.operator === 'ne'
    }
  }
}

function compares(value: unknown, { place, operator, value: wanted }: Filter & { kind: 'compare' }): boolean {
  if (typeof value === 'boolean' || typeof wanted === 'boolean') return (operator === 'eq') === (value === wanted)
  const fold = (text: string) => (isExact(place) ? text : text.toLowerCase())
  return tests[operator](fold(String(value)), fold(wanted))
}

const tests: Record<Comparison, (a: string, b: string) => boolean> = {
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  co: (a, b) => a.includes(b),
  sw: (a, b) => a.startsWith(b),
  ew: (a, b) => a.endsWith(b),
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
}
