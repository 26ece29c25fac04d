import type { Actor } from '#core/caller.ts'
import type { Static } from '#core/schema/schema.ts'
import type { Transaction } from '#db/database.ts'
import type { webhookDisabled } from '../events.ts'
import { subscriptionsDisabled } from '../metrics/attempt-metrics.ts'
import type { SubscriptionRow } from './subscription.store.ts'
import { setActive, setDisabled } from './subscription.store.ts'

/** What happens to deliveries held so far when a subscription is enabled. */
export const heldChoices = ['resume', 'discard'] as const
export type HeldChoice = (typeof heldChoices)[number]

type State = Static<typeof webhookDisabled.entry>

/**
 * Enables a subscription whose lane is locked: counter to zero; the releaser sends or discards what is held. Answers the
 * entry of `webhook.enabled`, or null when it was active already.
 */
export async function enable(
  tx: Transaction,
  organization_id: string,
  row: SubscriptionRow,
  held: HeldChoice,
  by: Actor,
): Promise<State | null> {
  if (row.status === 'active') return null
  await setActive(tx, organization_id, row.id, held === 'discard', by)
  return { ...stateOf(row), reason: null, consecutive_failures: 0, disabled_at: null }
}

/** Disables by hand, with the lane locked: nothing is claimed from now on. Null when it was disabled already. */
export async function disable(
  tx: Transaction,
  organization_id: string,
  row: SubscriptionRow,
  by: Actor,
): Promise<State | null> {
  if (row.status === 'disabled') return null
  await setDisabled(tx, organization_id, row.id, by)
  tx.afterCommit(() => subscriptionsDisabled.inc({ reason: 'manual' }))
  return { ...stateOf(row), reason: 'manual', disabled_at: tx.now }
}

function stateOf({ id, url, name, consecutive_failures, last_error }: SubscriptionRow) {
  return { webhook_id: id, url, name, consecutive_failures, last_error }
}
