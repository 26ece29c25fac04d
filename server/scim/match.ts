import type { Place } from './attribute.ts'
import { asResource, isAssigned, valueAt } from './resource.ts'

export const comparisons = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const
export type Comparison = (typeof comparisons)[number]

/** A test compares with a value of the attribute's type: times are ISO 8601 in UTC. Names are resolved. */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly [Filter, Filter] }
  | { readonly kind: 'not'; readonly part: Filter }
  /** One element of a multi-valued attribute satisfies all of `part`, whose places are those of its parts. */
  | { readonly kind: 'element'; readonly place: Place; readonly part: Filter }
  | { readonly kind: 'present'; readonly place: Place }
  | { readonly kind: 'compare'; readonly place: Place; readonly operator: Comparison; readonly value: string | boolean }

/**
 * True if a resource satisfies a filter, or, with `is_element`, one element of a list what stands between its brackets; the
 * statements of lists say the same in SQL.
 */
export function matches(filter: Filter, subject: unknown, is_element = false): boolean {
  const holds = (part: Filter) => matches(part, subject, is_element)
  if ('parts' in filter) return filter.kind === 'and' ? filter.parts.every(holds) : filter.parts.some(holds)
  if (filter.kind === 'not') return !holds(filter.part)
  const { place } = filter
  const path = is_element ? place.path.slice(place.whole ? -1 : place.path.length) : place.path
  const value = valueAt(asResource(subject) ?? {}, path)
  if (filter.kind === 'element') return Array.isArray(value) && value.some((one) => matches(filter.part, one, true))
  if (filter.kind === 'present') return isAssigned(value)
  // Of a value that is not there, `ne` is true.
  if (!isAssigned(value)) return filter.operator === 'ne'
  if (typeof filter.value === 'boolean') return (filter.operator === 'eq') === (value === filter.value)
  const fold = (text: string) => (place.own.caseExact ? text : text.toLowerCase())
  return tests[filter.operator](fold(String(value)), fold(filter.value))
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
