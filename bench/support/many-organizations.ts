import { newId } from '#core/values.ts'
import { sql } from '#db/database.ts'
import { insertOrganization } from '#resources/organizations/index.ts'
import { makeSealedKey } from '#webhooks/signature.ts'
import { makeLabel } from '#webhooks/signing-keys/signing-key.ts'
import { behaviourOf, subscriptions_each } from './day.ts'
import type { Installation } from './installation.ts'

const organizations_at_once = 3

/**
 * Makes organizations with their subscriptions by SQL, as the service leaves them: each subscription with queue, first
 * revision and signing key. Every one lists one event type, in turn. Answers the ids, the busiest organization first.
 */
export async function fillOrganizations(
  installation: Installation,
  count: number,
  { types, ports }: { types: readonly string[]; ports: readonly number[] },
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId(Date.now()))
  let next = 0
  const lane = async () => {
    for (let rank = next++; rank < count; rank = next++) {
      const port = ports[rank % ports.length] ?? 0
      await fillOne(installation, { id: ids[rank] ?? '', rank, types, origin: `https://localhost:${port}` })
    }
  }
  await Promise.all(Array.from({ length: organizations_at_once }, lane))
  const client = await installation.database.connect()
  await client.query(
    'vacuum (analyze) organizations, webhook_subscriptions, webhook_lanes, webhook_signing_keys, webhook_subscription_revisions',
  )
  client.release()
  return ids
}

function fillOne(
  { database, secrets }: Installation,
  { id, rank, types, origin }: { id: string; rank: number; types: readonly string[]; origin: string },
): Promise<void> {
  const made = Array.from({ length: subscriptions_each }, (_, index) => {
    const subscription_id = newId(Date.now())
    const label = makeLabel()
    return {
      subscription_id,
      url: `${origin}/${behaviourOf(rank, index)}/${rank}`,
      type: types[index % types.length] ?? '',
      label,
      sealed: makeSealedKey(secrets, subscription_id, label).sealed.toString('base64'),
    }
  })
  return database.transaction({ role: 'app', organization_id: id }, async (tx) => {
    await insertOrganization(tx, {
      ...{ id, name: `Organization ${rank}`, country: 'DE', default_currency: 'EUR', timezone: 'Europe/Berlin' },
      is_sandbox: false,
    })
    const rows = sql`json_to_recordset(${JSON.stringify(made)}::json)
      as made (subscription_id uuid, url text, type text, label text, sealed text)`
    const by = sql`'{"kind": "system", "id": null, "name": "bench"}'::jsonb`
    await tx.run(sql`
      insert into webhook_subscriptions (id, organization_id, url, events, status, api_version, payload, sensitive_data,
        revision, created_by, created_at, updated_at)
      select subscription_id, ${id}, url, array[type], 'active', 'v2', 'full', '{}', 1, ${by}, app_now(), app_now() from ${rows}`)
    await tx.run(sql`
      insert into webhook_lanes (organization_id, subscription_id) select ${id}, subscription_id from ${rows}`)
    await tx.run(sql`
      insert into webhook_subscription_revisions (organization_id, subscription_id, revision, valid_from, status, events,
        payload, sensitive_data, changed_by)
      select ${id}, subscription_id, 1, app_now(), 'active', array[type], 'full', '{}', ${by} from ${rows}`)
    await tx.run(sql`
      insert into webhook_signing_keys (organization_id, subscription_id, label, sealed, created_at, activates_at)
      select ${id}, subscription_id, label, decode(sealed, 'base64'), app_now(), app_now() from ${rows}`)
  })
}
