import type { Database } from '#db/database.ts'
import type { Sql } from '#db/sql.ts'
import {
  forgottenHolds,
  type InspectionScope,
  inventedDeliveries,
  missingDeliveries,
  neglectedDeliveries,
  overdueLeases,
  unaccountedDeliveries,
  unheldDeliveries,
  type Violations,
  violationsOf,
} from './invariants.store.ts'

export const invariants = {
  every_match_has_a_delivery: {
    words: 'every event has a delivery for each subscription that listed its type',
    broken: missingDeliveries,
  },
  every_delivery_has_an_event: {
    words: 'every delivery belongs to an event that its subscription listed',
    broken: inventedDeliveries,
  },
  due_is_sent: {
    words: 'nothing that is due waits over a minute beside idle workers',
    broken: neglectedDeliveries,
  },
  leases_end: { words: 'no delivery is being sent beyond its lease', broken: overdueLeases },
  stopped_is_held: {
    words: 'nothing of a disabled or deleted subscription waits to be sent',
    broken: unheldDeliveries,
  },
  enabled_is_released: { words: 'nothing of an active subscription stays held', broken: forgottenHolds },
  attempts_account: {
    words: 'the attempts on record account for the status and number of their delivery',
    broken: unaccountedDeliveries,
  },
} as const satisfies Record<string, { words: string; broken: (scope: InspectionScope) => Sql }>

export type Invariant = keyof typeof invariants

export interface Finding extends Violations {
  invariant: Invariant
}

/** All that looking needs of a database. */
export type Inspected = Pick<Database, 'transaction'>

/** Asks the rows themselves whether the engine's promises hold, one invariant after the other. */
export async function inspect(database: Inspected, scope: InspectionScope): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const invariant of Object.keys(invariants) as Invariant[]) {
    const { broken } = invariants[invariant]
    const violations = await database.transaction({ role: 'engine', read_only: true }, (tx) =>
      violationsOf(tx, broken(scope)),
    )
    findings.push({ invariant, ...violations })
  }
  return findings
}
