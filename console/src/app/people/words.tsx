import type { Person } from '#sdk/index.ts'
import { Badge } from '../../components/badge.tsx'
import { Status } from '../../components/status.tsx'
import { entryOf } from '../../lib/nouns.ts'

/** A status follows from the contracts, so its words say where the person stands with them. */
export const person_statuses = [
  { value: 'active', words: 'Active' },
  { value: 'pending', words: 'Not signed yet' },
  { value: 'offboarding', words: 'Leaving' },
  { value: 'inactive', words: 'Left' },
] as const

export const worker_types = [
  { value: 'contractor', words: 'Contractor' },
  { value: 'employee', words: 'Employee' },
] as const

const status_words = Object.fromEntries(person_statuses.map(({ value, words }) => [value, words]))
const tones = { active: 'good', pending: 'warning', offboarding: 'warning', inactive: 'plain' } as const

export const workerTypeWords = (type: string) => worker_types.find(({ value }) => value === type)?.words ?? type

export function PersonBadges({ person: { status, access, provisioned_at } }: { person: Person }) {
  const words = entryOf(status_words, status, null)
  return (
    <>
      {words ? <Badge tone={entryOf(tones, status, 'plain')}>{words}</Badge> : <Status value={status} />}
      {access === 'enabled' ? <Badge>Signs in</Badge> : null}
      {provisioned_at ? <Badge>SCIM</Badge> : null}
      {access === 'disabled' ? <Badge tone="danger">Access blocked</Badge> : null}
    </>
  )
}
