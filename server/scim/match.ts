import { type Place, pathOf } from './attribute.ts'
import { asResource, isAssigned, type Resource, valueAt } from './resource.ts'

export const comparisons = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const
export type Comparison = (typeof comparisons)[number]

/** A test compares with a value of the attribute's type: times are ISO 8601 in UTC. Names are resolved. */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly [Filter, Filter] }
  | { readonly kind: 'not'; readonly part: Filter }
  /** One element of a multi-valued attribute satisfies all of `part`, whose places name its sub-attributes. */
  | { readonly kind: 'element'; readonly place: Place; readonly part: Filter }
  | { readonly kind: 'present'; readonly place: Place }
  | { readonly kind: 'compare'; readonly place: Place; readonly operator: Comparison; readonly value: string | boolean }

/**
 * True if a resource satisfies a filter, or, with `is_element`, one element of a list what stands between its brackets; the
 * statements of lists say the same in SQL.
 */
export function matches(filter: Filter, subject: Resource, is_element = false): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.parts.every((part) => matches(part, subject, is_element))
    case 'or':
      return filter.parts.some((part) => matches(part, subject, is_element))
    case 'not':
      return !matches(filter.part, subject, is_element)
    case 'element': {
      const elements = valueAt(subject, pathOf(filter.place))
      return Array.isArray(elements) && elements.some((one) => matchesElement(filter.part, one))
    }
    default: {
      const { sub } = filter.place
      const value = valueAt(subject, is_element ? (sub ? [sub.name] : []) : pathOf(filter.place))
      if (filter.kind === 'present') return isAssigned(value)
      // Of a value that is not there, `ne` is true.
      return isAssigned(value) ? compares(value, filter) : filter.operator === 'ne'
    }
  }
}

/** True if one element of a multi-valued attribute satisfies the filter between the brackets. */
export const matchesElement = (filter: Filter, element: unknown): boolean =>
  matches(filter, asResource(element) ?? {}, true)

function compares(value: unknown, { place, operator, value: wanted }: Filter & { kind: 'compare' }): boolean {
  if (typeof value === 'boolean' || typeof wanted === 'boolean') return (operator === 'eq') === (value === wanted)
  const fold = (text: string) => (isExact(place) ? text : text.toLowerCase())
  return tests[operator](fold(String(value)), fold(wanted))
}

/** The rule by which texts of an attribute are compared. */
export const isExact = ({ attribute, sub }: Place): boolean => (sub ?? attribute).caseExact

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
