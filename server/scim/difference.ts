import { isDeepStrictEqual } from 'node:util'
import { type Place, pathOf, type ResourceType, writablePlaces } from './attribute.ts'
import { type Resource, valueAt } from './resource.ts'

/** The places in which a write really differs from what there is; what the client may not see is alike in both. */
export function differenceOf(type: ResourceType, current: Resource, next: Resource): Place[] {
  return writablePlaces(type).filter((place) => {
    const path = pathOf(place)
    return !isDeepStrictEqual(valueAt(current, path), valueAt(next, path))
  })
}

/** The columns that take values as they are. */
export function columnsOf(places: readonly Place[], next: Resource): object {
  const columns = places.flatMap((place) => {
    const { column } = (place.sub ?? place.attribute).stored ?? {}
    return column ? [[column, valueAt(next, pathOf(place)) ?? null]] : []
  })
  return Object.fromEntries(columns)
}
