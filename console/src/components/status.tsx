import type { ComponentProps } from 'react'
import { wordsOf } from '../lib/format.ts'
import { entryOf } from '../lib/nouns.ts'
import { Badge } from './badge.tsx'

type Tone = NonNullable<ComponentProps<typeof Badge>['tone']>

/** The states of all nouns; one that is not here has its own name as words. */
const states: Readonly<Record<string, readonly [words: string, tone: Tone]>> = {
  active: ['Active', 'good'],
  approved: ['Approved', 'good'],
  blocked: ['Blocked', 'danger'],
  cancelled: ['Cancelled', 'plain'],
  completed: ['Completed', 'good'],
  declined: ['Declined', 'danger'],
  disabled: ['Disabled', 'danger'],
  enabled: ['Enabled', 'good'],
  expired: ['Expired', 'warning'],
  failed: ['Failed', 'danger'],
  inactive: ['Inactive', 'plain'],
  initial: ['First terms', 'plain'],
  invited: ['Invited', 'warning'],
  invoiced: ['Invoiced', 'good'],
  none: ['None', 'plain'],
  not_payable: ['Not payable', 'plain'],
  offboarding: ['Leaving', 'warning'],
  outdated: ['Replaced', 'plain'],
  overdue: ['Overdue', 'danger'],
  paid: ['Paid', 'good'],
  pending: ['Pending', 'warning'],
  pending_approval: ['Waits for approval', 'warning'],
  processing: ['Processing', 'warning'],
  rejected: ['Rejected', 'danger'],
  requested: ['Requested', 'warning'],
  revoked: ['Revoked', 'plain'],
  skipped: ['Skipped', 'plain'],
  terminated: ['Terminated', 'plain'],
  upcoming: ['Upcoming', 'plain'],
  used: ['Taken', 'plain'],
  waiting_for_approval: ['Waits for a signature', 'warning'],
}

interface StatusProps {
  /** The word of the API, such as `pending_approval`. */
  value: string
  tone?: Tone
}

/** A state as a badge; never the colour alone says it. */
export function Status({ value, tone }: StatusProps) {
  const [words, usual] = entryOf(states, value, [wordsOf(value), 'plain'] as const)
  return <Badge tone={tone ?? usual}>{words}</Badge>
}

/** The same words without the badge, for filters and sentences. */
export const statusWords = (value: string) => entryOf(states, value, [wordsOf(value)] as const)[0]
