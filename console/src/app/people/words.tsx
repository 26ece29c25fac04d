import type { Person } from '#sdk/index.ts'
import { Badge } from '../../components/badge.tsx'
import { Status } from '../../components/status.tsx'
import type { Column } from '../../components/table.tsx'
import { entryOf } from '../../lib/nouns.ts'
import { Link } from '../../lib/router.tsx'

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

/** The name of a person with the e-mail address below it, in lists of people. */
export const person_column: Column<Person> = {
  head: 'Person',
  look: 'main',
  cell: ({ id, full_name, email }) => (
    <>
      <Link to={`/people/${id}`}>
        <bdi>{full_name}</bdi>
      </Link>
      <span className="under">{email ? <bdi>{email}</bdi> : 'no e-mail address'}</span>
    </>
  ),
}
