import { recordAudit } from '#core/audit.ts'
import { system_actor } from '#core/caller.ts'
import type { Database } from '#db/database.ts'
import { findHeld, releaseInternal } from './release.store.ts'

/** What the operator asked for cannot be done; the message says why. */
export class NotReleased extends Error {
  override readonly name = 'NotReleased'
}

/** Sends a delivery that 20 faults of our own had stopped: the same attempt again, due now. */
export async function releaseDelivery(database: Database, id: string): Promise<void> {
  await database.transaction({ role: 'engine' }, async (tx) => {
    const delivery = await findHeld(tx, id)
    if (!delivery) throw new NotReleased(`no delivery ${id} is held`)
    if (delivery.hold_reason !== 'internal') {
      throw new NotReleased(`delivery ${id} is held because its subscription is disabled; enabling that releases it`)
    }
    if (!(await releaseInternal(tx, delivery, id))) throw new NotReleased(`delivery ${id} is no longer held`)
    await recordAudit(tx, {
      organization_id: delivery.organization_id,
      actor: system_actor,
      credential_id: null,
      action: 'webhooks.release',
      subject: { kind: 'webhooks', id: delivery.subscription_id },
      changed_fields: ['status'],
      request_id: null,
      address: null,
    })
  })
}
