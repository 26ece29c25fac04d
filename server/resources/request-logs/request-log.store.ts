import type { Actor, Tenant } from '#core/caller.ts'
import type { ListQuery } from '#core/list.ts'
import type { Static } from '#core/schema/schema.ts'
import { join, raw, type Sql, sql, type Transaction } from '#db/database.ts'
import { RequestLog, type requestFilters } from './request-log.ts'

export type RequestFilter = {
  [Name in keyof typeof requestFilters]?: Static<(typeof requestFilters)[Name]> | undefined
}

/** A request as it rests. */
export interface RequestRow extends Omit<Static<typeof RequestLog>, 'ip' | 'hint'> {
  organization_id: string
  address: string | null
  actor: Actor
  query: string | null
  scopes: string[]
  request_headers: Record<string, string>
  request_body: string | null
  request_body_state: 'none' | 'kept' | 'too_large' | 'not_kept'
  response_body: string | null
}

/** Requests of one hour that ended in the same way. */
export interface RequestCount {
  organization_id: string
  hour: string
  operation: string
  status: number
  /** Empty where there was no refusal. */
  error_code: string
  requests: number
  latest_at: string
}

/** Shown this long; the weeks that hold older ones are dropped. */
export const days_kept = 30

const of_rows =
  raw(`r (organization_id uuid, id uuid, occurred_at timestamptz, request_id text, surface text, operation text,
  method text, path text, query text, status smallint, error_code text, missing_scopes text[], duration_ms int,
  credential_id uuid, client_id text, actor jsonb, address text, scopes text[], request_headers jsonb, request_body text,
  request_body_state text, response_body text)`)
const row_columns = raw(`organization_id, id, occurred_at, request_id, surface, operation, method, path, query, status,
  error_code, missing_scopes, duration_ms, credential_id, client_id, actor, address, scopes, request_headers, request_body,
  request_body_state, response_body`)
const of_counts = raw(`c (organization_id uuid, hour timestamptz, operation text, status smallint, error_code text,
  requests bigint, latest_at timestamptz)`)
const count_columns = raw('organization_id, hour, operation, status, error_code, requests, latest_at')

/** Writes requests of any number of organizations, each row under its own, and counts: as one statement where there are both. */
export async function insertRequests(
  tx: Transaction,
  rows: readonly RequestRow[],
  counts: readonly RequestCount[],
): Promise<void> {
  if (rows.length > 0) {
    tx.insert(sql`
      insert into request_logs (${row_columns})
      select ${row_columns} from jsonb_to_recordset(${JSON.stringify(rows, storable)}::jsonb) as ${of_rows}`)
  }
  if (counts.length > 0) {
    tx.insert(sql`
      insert into request_counts (${count_columns})
      select ${count_columns} from jsonb_to_recordset(${JSON.stringify(counts)}::jsonb) as ${of_counts}
      on conflict (organization_id, hour, operation, status, error_code) do update
      set requests = request_counts.requests + excluded.requests,
          latest_at = greatest(request_counts.latest_at, excluded.latest_at)`)
  }
}

const columns = raw(
  Object.keys(RequestLog.properties)
    .filter((name) => name !== 'hint')
    .map((name) => (name === 'ip' ? 'r.address as ip' : `r.${name}`))
    .join(', '),
)

export function requestList(tenant: Tenant, filter: RequestFilter): ListQuery {
  const where = conditions(tenant, filter)
  return { columns, from: sql`request_logs r`, where, order: ['r.id'], updated_at: 'r.occurred_at' }
}

/** A request as it is read; what to do about its refusal is told beside. */
export type ReadRequest = Omit<Static<typeof RequestLog>, 'hint'>

/** More have to wait for the next look of a stream. */
export const told_rows_max = 200

/** The first requests that were noted at this time or later, oldest first. */
export function requestsSince(tx: Transaction, tenant: Tenant, filter: RequestFilter, since: string) {
  const where = [...conditions(tenant, filter), sql`r.id >= first_id_at(${since}::timestamptz)`]
  return tx.rows<ReadRequest>(sql`
    select ${columns} from request_logs r where ${join(where, ' and ')} order by r.id limit ${told_rows_max}`)
}

function conditions({ organization_id }: Tenant, filter: RequestFilter): Sql[] {
  const { credential_id, client_id, surfaces, operation, status, outcomes, error_code, request_id, from, to } = filter
  const where: Sql[] = [sql`r.organization_id = ${organization_id}`, not_forgotten]
  if (credential_id) where.push(sql`r.credential_id = ${credential_id}`)
  if (client_id) where.push(sql`r.client_id = ${client_id}`)
  if (surfaces) where.push(sql`r.surface = any (${surfaces})`)
  if (operation) where.push(sql`r.operation = ${operation}`)
  if (status !== undefined) where.push(sql`r.status = ${status}`)
  if (outcomes) where.push(sql`${outcome} = any (${outcomes})`)
  if (error_code) where.push(sql`r.error_code = ${error_code}`)
  if (request_id) where.push(sql`r.request_id = ${request_id}`)
  // By id as well, which leads to the weeks that can hold them.
  if (from) where.push(sql`r.occurred_at >= ${from}`, sql`r.id >= first_id_at(${from}::timestamptz)`)
  if (to) where.push(sql`r.occurred_at <= ${to}`)
  return where
}

const not_forgotten = raw(`r.id >= first_id_at(app_now() - interval '${days_kept} days')`)
const outcome = raw(`case when r.status < 400 then 'succeeded' when r.status < 500 then 'refused' else 'failed' end`)

export function findRequest(tx: Transaction, { organization_id }: Tenant, id: string) {
  return tx.row<RequestRow & { ip: string | null }>(sql`
    select r.*, r.address as ip from request_logs r
    where r.organization_id = ${organization_id} and r.id = ${id} and ${not_forgotten}`)
}

/** Ways that requests ended in, the most frequent first. */
export interface Ended {
  operation: string
  status: number
  error_code: string
  requests: number
  latest_at: string
}

/** Counts the requests of the hours since this time by their end. */
export function requestsByEnd(tx: Transaction, { organization_id }: Tenant, since: string): Promise<Ended[]> {
  return tx.rows<Ended>(sql`
    select operation, status, error_code, sum(requests)::int as requests, max(latest_at)::timestamptz(3) as latest_at
    from request_counts where organization_id = ${organization_id} and hour >= ${since}
    group by operation, status, error_code order by sum(requests) desc, operation, status, error_code`)
}

/** A change of tables shuts everybody out: it gives up soon where others hold them, and comes again. */
export async function waitShortly(tx: Transaction): Promise<void> {
  await tx.run(sql`select set_config('lock_timeout', '500ms', true)`)
}

/** Makes the partition of the week so many weeks from now, unless there is one or rows lie outside of all: they stay there. */
export async function addWeek(tx: Transaction, weeks: number): Promise<void> {
  const week = sql`date_trunc('week', app_now() + ${weeks} * interval '7 days', 'UTC')`
  await tx.run(sql`
    select add_request_log_week(${week})
    where not exists (
      select from request_logs_default
      where id >= first_id_at(${week}) and id < first_id_at(${week} + interval '7 days'))`)
}

export async function dropWeeks(tx: Transaction): Promise<number> {
  const row = await tx.row<{ dropped: number }>(sql`select drop_request_log_weeks(${days_kept}) as dropped`)
  return row?.dropped ?? 0
}

/** Removes requests outside the partitions of weeks that are older than what is kept. */
export function forgetStrays(tx: Transaction, rows_max: number): Promise<number> {
  return tx.run(sql`
    delete from request_logs_default where (organization_id, id) in (
      select organization_id, id from request_logs_default
      where id < first_id_at(app_now() - ${days_kept} * interval '1 day') limit ${rows_max})`)
}

export function forgetCounts(tx: Transaction, rows_max: number): Promise<number> {
  return tx.run(sql`
    delete from request_counts where ctid = any (array(
      select ctid from request_counts where hour < app_now() - ${days_kept} * interval '1 day' limit ${rows_max}))`)
}

/** Characters that no text of the database holds become a sign: a request with one must not lose those beside it. */
const storable = (_: string, value: unknown) =>
  typeof value === 'string' ? value.replaceAll('\0', '\ufffd').toWellFormed() : value
