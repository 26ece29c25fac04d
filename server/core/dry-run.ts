import type { Caller } from './caller.ts'
import type { Effects } from './effects.ts'
import { canonicalDigest } from './json.ts'
import type { RegisteredOperation, Registry } from './registry.ts'

interface RehearsedCall {
  operation: RegisteredOperation
  caller: Caller
  input: object
  /** Entity tag of the resource before the change, as the caller sees it. */
  version: string | null
}

/**
 * The effects of a change as its caller may see them: a digest of more would tell what is withheld. `events` has one
 * member for each entry, in order; `postings` the ledger transactions. The digest covers operation, input and both, but no
 * new ids and no times, and what the resource was that is changed: a contract that is signed is the one that was shown.
 */
export function dryRunOf(
  registry: Registry,
  { operation, caller, input, version }: RehearsedCall,
  { events, postings, made }: Effects,
) {
  const told = events.flatMap(({ type, entries }) => {
    const sensitive = registry.events.get(type.type)?.sensitive
    return entries.map((entry) => ({
      type: type.type,
      entry: sensitive?.withhold(entry, caller.sensitive_data) ?? entry,
    }))
  })
  const booked = postings.map((posting) => posting.withhold(posting.told, caller.sensitive_data))
  const effects = [told, booked].map((each) => comparable(each, made))
  const { organization_id } = caller
  const digest = canonicalDigest([organization_id, operation.definition.id, input, version?.split('.')[0], ...effects])
  return { digest, events: told, postings: booked }
}

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d/

/** Without what differs each time: ids that were made just now, and times. */
function comparable(value: unknown, made: ReadonlySet<string>): unknown {
  if (typeof value === 'string') return made.has(value) || timestamp.test(value) ? null : value
  if (Array.isArray(value)) return value.map((each) => comparable(each, made))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, comparable(each, made)]))
}
