import type { Organization } from '#sdk/index.ts'
import { stint } from '../lib/service.ts'
import { useAnswer } from '../lib/use-answer.ts'
import { useMe } from './me.tsx'

/** The business date of the organization, `2026-11-01`: by its zone, and in a sandbox by its clock. Null until it is known. */
export function useToday(): string | null {
  const { organization_id } = useMe().membership
  const { value } = useAnswer(stint.organizations.get, { organization_id })
  return value && dateOf(value)
}

function dateOf({ timezone, clock_now }: Organization): string {
  const parts = new Intl.DateTimeFormat('en', {
    ...{ timeZone: timezone, calendar: 'gregory', numberingSystem: 'latn' },
    ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
  }).formatToParts(clock_now === null ? new Date() : new Date(clock_now))
  const part = (type: string) => parts.find((one) => one.type === type)?.value
  return `${part('year')}-${part('month')}-${part('day')}`
}
