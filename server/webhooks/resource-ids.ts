import { idPattern } from '#core/values/id.ts'

const id = new RegExp(idPattern)

/** An event has at most 100 entries of a handful of identifiers; more than this are not kept for the filter. */
const ids_max = 1_000

/** Every identifier found in the entries of an event, each once: what the filter `resource_id` finds it by. */
export function resourceIdsOf(entries: readonly object[]): string[] {
  const found = new Set<string>()
  collect(entries, found)
  return [...found]
}

function collect(value: unknown, found: Set<string>): void {
  if (typeof value === 'string') {
    if (value.length === 36 && found.size < ids_max && id.test(value)) found.add(value)
  } else if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) collect(member, found)
  }
}
