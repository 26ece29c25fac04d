import { amendments, contracts } from './chapters/contracts.ts'
import { invoices, payments } from './chapters/money.ts'
import { people, timeOff } from './chapters/people.ts'
import { structure } from './chapters/structure.ts'
import { adjustments, timesheets } from './chapters/work.ts'
import type { Step } from './story.ts'

export const end = '2026-04-15T12:00:00.000Z'

/** The story of domain design 7 by the keys that it gives; what a date brings is put in order by `inOrder`. */
export const steps: readonly Step[] = [
  ...[...structure, ...people, ...contracts, ...amendments, ...timeOff],
  ...[...timesheets, ...adjustments, ...invoices, ...payments],
]
