import { isDeepStrictEqual } from 'node:util'
import { type Place, type ResourceType, writablePlaces } from './attribute.ts'
import { type Resource, valueAt } from './resource.ts'

/** The places in which a write really differs from what there is; what the client may not see is alike in both. */
export const differenceOf = (type: ResourceType, current: Resource, next: Resource): Place[] =>
  writablePlaces(type).filter(({ path }) => !isDeepStrictEqual(valueAt(current, path), valueAt(next, path)))

/** The columns that differ, of those that take values as they are. */
export function columnsOf(type: ResourceType, current: Resource, next: Resource): object {
  const columns = differenceOf(type, current, next).flatMap(({ own: { stored }, path }) =>
    stored?.column ? [[stored.column, valueAt(next, path) ?? null]] : [],
  )
  return Object.fromEntries(columns)
}
