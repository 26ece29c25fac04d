import type { Tenant } from '#core/caller.ts'
import type { ListQuery } from '#core/list.ts'
import type { Secrets } from '#core/secrets.ts'
import { sql, type Transaction } from '#db/database.ts'
import { labelInUse } from '../problems.ts'
import { makeSealedKey } from '../signature.ts'
import { makeLabel, type SigningKeyRow } from './signing-key.ts'

/** States follow from times alone: of the live keys `k` whose time has come the newest is primary. */
export const key_state = sql`case
  when k.sealed is null or k.retires_at <= app_now() then 'retired'
  when k.activates_at > app_now() then 'next'
  when exists (
    select from webhook_signing_keys newer
    where newer.organization_id = k.organization_id and newer.subscription_id = k.subscription_id
      and newer.sealed is not null and newer.activates_at > k.activates_at and newer.activates_at <= app_now()
  ) then 'previous'
  else 'primary' end`

const columns = sql`k.label, ${key_state} as state, k.created_at, k.activates_at, k.retires_at, k.last_used_at`

/** Every key the subscription ever had, newest first. */
export function signingKeyList({ organization_id }: Tenant, subscription_id: string): ListQuery {
  return {
    columns,
    from: sql`webhook_signing_keys k`,
    where: [sql`k.organization_id = ${organization_id}`, sql`k.subscription_id = ${subscription_id}`],
    order: ['k.created_at', 'k.label'],
    updated_at: 'k.updated_at',
  }
}

/** One key of a subscription, retired ones included. */
export function findSigningKey(tx: Transaction, { organization_id }: Tenant, subscription_id: string, label: string) {
  return tx.row<SigningKeyRow>(sql`
    select ${columns} from webhook_signing_keys k
    where k.organization_id = ${organization_id} and k.subscription_id = ${subscription_id} and k.label = ${label}`)
}

/** True when a key still signs or is about to. */
export async function keyStands(tx: Transaction, { organization_id }: Tenant, label = ''): Promise<boolean> {
  const live = await tx.row(sql`
    select from webhook_signing_keys k
    where k.organization_id = ${organization_id} and k.label = ${label} and ${key_state} <> 'retired'`)
  return live !== undefined
}

interface NewKey {
  /** By default one of our own making. */
  label?: string | undefined
  /** Name of the input field that holds the label. */
  label_field: string
  activates_at: string | null
  overlap_hours: number
}

/**
 * Writes a key that takes over at `activates_at` (now when null) and lets the others retire `overlap_hours` later.
 * Throws `label_in_use`. Its answer holds the only copy of the key that can be shown.
 */
export async function addSigningKey(
  tx: Transaction,
  secrets: Secrets,
  { organization_id }: Tenant,
  subscription_id: string,
  { label = makeLabel(), label_field, activates_at, overlap_hours }: NewKey,
): Promise<SigningKeyRow & { signing_key: string }> {
  const { signing_key, sealed } = makeSealedKey(secrets, subscription_id, label)
  // Cut to the milliseconds of the column: rounding up would let the key begin in the future.
  const inserted = await tx.row<SigningKeyRow>(sql`
    insert into webhook_signing_keys as k (organization_id, subscription_id, label, sealed, created_at, activates_at, updated_at)
    select ${organization_id}::uuid, ${subscription_id}::uuid, ${label}::text, ${sealed}::bytea, at.now,
      coalesce(${activates_at}::timestamptz, at.now), at.now
    from (select date_trunc('milliseconds', app_now()) as now) at
    on conflict (organization_id, label) do nothing
    returning ${columns}`)
  if (!inserted) {
    const message = 'Another signing key of the organization has this label.'
    throw labelInUse(message, { errors: [{ pointer: `/${label_field}`, message }] })
  }
  await tx.run(sql`
    update webhook_signing_keys
    set retires_at = ${inserted.activates_at}::timestamptz + ${overlap_hours}::int * interval '1 hour',
      updated_at = date_trunc('milliseconds', app_now())
    where organization_id = ${organization_id} and subscription_id = ${subscription_id} and label <> ${label}
      and sealed is not null and retires_at is null`)
  return { ...inserted, signing_key }
}

/** Destroys the value of one key at once; when it was to take over, the primary key stays. */
export async function retireKey(
  tx: Transaction,
  { organization_id }: Tenant,
  subscription_id: string,
  { label, state }: SigningKeyRow,
): Promise<void> {
  await tx.run(sql`
    update webhook_signing_keys
    set sealed = null, retires_at = app_now(), updated_at = app_now()
    where organization_id = ${organization_id} and subscription_id = ${subscription_id} and label = ${label}`)
  if (state !== 'next') return
  await tx.run(sql`
    update webhook_signing_keys set retires_at = null, updated_at = app_now()
    where organization_id = ${organization_id} and subscription_id = ${subscription_id} and sealed is not null`)
}

/** Destroys the values of keys that have retired, over all organizations; answers how many. */
export function destroyRetired(tx: Transaction, keys_max: number): Promise<number> {
  return tx.run(sql`
    update webhook_signing_keys k set sealed = null, updated_at = app_now()
    from (select organization_id, label from webhook_signing_keys
          where sealed is not null and retires_at <= app_now()
          order by retires_at limit ${keys_max} for update skip locked) retired
    where k.organization_id = retired.organization_id and k.label = retired.label`)
}
