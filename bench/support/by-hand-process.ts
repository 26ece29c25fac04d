import { hash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { newId } from '#core/values.ts'
import { rowTypes } from '#db/rows.ts'
import { openBarePosts } from './bare-post.ts'
import type { ByHandOrder } from './by-hand.ts'

// The least that the machine needs for the rows of each way: what anybody would write who promised nothing else. No input is
// checked, no lock is taken, no delivery is claimed, none survives the process.

interface Sent {
  id: string
  event_id: string
  started_at: string
}

const [order] = (await once(process, 'message')) as [ByHandOrder]
process.on('disconnect', () => process.exit())

const { organization_id } = order
const digest = hash('sha256', order.token, 'buffer')
const callers = poolOf(10, `set role stint_app; set app.organization_id = '${organization_id}'`)
const recorder = poolOf(1, 'set role stint_engine; set synchronous_commit = off; set enable_hashjoin = off')
const posts = openBarePosts({ urls: [order.url], ca: order.ca }, 16)
const { rows: workers } = await callers.query<{ worker_id: string; legal_entity_id: string; subscription_id: string }>(`
  select p.id as worker_id, e.id as legal_entity_id, s.id as subscription_id
  from people p cross join legal_entities e cross join webhook_subscriptions s where e.is_default`)
let created = 0

const ways: Record<string, (body: string) => Promise<object>> = {
  'GET /rest/v2/contracts?limit=50': list,
  'POST /rest/v2/contracts': create,
  'POST /oauth/token': exchange,
}

const server = createServer(
  { cert: order.cert, key: order.key, keepAliveTimeout: 60_000 },
  async (incoming, answer) => {
    const body = Buffer.concat(await incoming.toArray()).toString()
    const text = JSON.stringify(await ways[`${incoming.method} ${incoming.url}`]?.(body))
    answer.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    answer.end(text)
  },
)
server.listen(0, '127.0.0.1')
await once(server, 'listening')
// A server that listens on a port has an address of that kind.
process.send?.((server.address() as AddressInfo).port)

function poolOf(max: number, session: string): pg.Pool {
  const pool = new pg.Pool({ ...order.connection, max, types: rowTypes, pipeline: true, options: '-c timezone=UTC' })
  pool.on('connect', (client) => void client.query(session))
  return pool
}

async function lookUp(): Promise<void> {
  const { rows } = await callers.query({
    name: 'look-up',
    text: 'select id from access_tokens where organization_id = $1 and digest = $2',
    values: [organization_id, digest],
  })
  if (!rows[0]) throw new Error('the token is not known')
}

async function list(): Promise<object> {
  await lookUp()
  const { rows } = await callers.query({ name: 'list', text: listing, values: [organization_id] })
  return { data: rows, total_count: rows[0]?.total_count }
}

async function exchange(body: string): Promise<object> {
  const secret = new URLSearchParams(body).get('refresh_token') ?? ''
  const { rows } = await callers.query({
    name: 'secret',
    text: `
      select g.* from oauth_refresh_tokens s
      join oauth_grants g on g.organization_id = s.organization_id and g.id = s.grant_id
      where s.organization_id = $1 and s.digest = $2 and s.used_at is null`,
    values: [organization_id, hash('sha256', secret, 'buffer')],
  })
  const grant = rows[0]
  if (!grant) throw new Error('the token is not known')
  const [access_token, refresh_token] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')]
  const digests = [secret, refresh_token, access_token].map((one) => hash('sha256', one, 'buffer'))
  const { id, root_id, client_id, user_id, scopes, resource } = grant
  const values = [organization_id, ...digests, id, newId(Date.now()), root_id, client_id, user_id, scopes, [resource]]
  await callers.query({ name: 'exchange', text: exchanging, values })
  return { access_token, token_type: 'Bearer', expires_in: 3_600, refresh_token, scope: scopes.join(' ') }
}

async function create(body: string): Promise<object> {
  const { title }: { title: string } = JSON.parse(body)
  const worker = workers[created++ % workers.length]
  if (!worker) throw new Error('there is no worker')
  await lookUp()
  const [id, event_id, delivery_id] = [newId(Date.now()), newId(Date.now()), newId(Date.now())]
  const contract = { id, title, worker_id: worker.worker_id, text: 'x'.repeat(1_000) }
  const { worker_id, legal_entity_id, subscription_id } = worker
  const about = [id, worker_id, legal_entity_id]
  const values = [organization_id, id, title, worker_id, legal_entity_id, event_id, delivery_id, subscription_id]
  await callers.query({
    name: 'write',
    text: writing,
    values: [...values, newId(Date.now()), JSON.stringify([contract]), title.toLowerCase().split(' '), about],
  })
  void deliver({ id: delivery_id, event_id, started_at: new Date().toISOString() }, subscription_id)
  return contract
}

const sent: Sent[] = []

async function deliver(one: Sent, subscription_id: string): Promise<void> {
  await posts.post(one.event_id)
  if (sent.push(one) === 1) setTimeout(() => void record(sent.splice(0), subscription_id), 100)
}

function record(attempts: readonly Sent[], subscription_id: string): Promise<unknown> {
  return recorder.query({
    name: 'record',
    text: recording,
    values: [
      organization_id,
      subscription_id,
      attempts.map(({ event_id }) => event_id),
      attempts.map(({ id }) => id),
      attempts.map(() => newId(Date.now())),
      attempts.map(({ started_at }) => started_at),
    ],
  })
}

/** A page of contracts with the names beside them and the number of all. */
const listing = `
  select c.*, p.email as worker_email, p.full_name as worker_name, e.name as legal_entity_name, t.name as team_name,
    (select count(*)::int from contracts where organization_id = $1) as total_count
  from contracts c
  join people p on p.organization_id = c.organization_id and p.id = c.worker_id
  join legal_entities e on e.organization_id = c.organization_id and e.id = c.legal_entity_id
  left join teams t on t.organization_id = c.organization_id and t.id = c.team_id
  where c.organization_id = $1
  order by c.created_at desc, c.id desc limit 50`

/** The rows of one exchange: a secret that is used, its successor and an access token. */
const exchanging = `
  with used as (
    update oauth_refresh_tokens set used_at = now(), successor_digest = $3 where organization_id = $1 and digest = $2
  ), noted as (
    update oauth_grants set last_used_at = now(), updated_at = now() where organization_id = $1 and id = $5
  ), next as (
    insert into oauth_refresh_tokens (organization_id, digest, grant_id, issued_at, expires_at)
    values ($1, $3, $5, now(), now() + interval '30 days')
  )
  insert into access_tokens (id, organization_id, kind, digest, prefix, last4, name, scopes, sensitive_data, user_id, root_id,
    created_by, client_id, grant_id, resources, created_at, updated_at, expires_at)
  values ($6, $1, 'oauth', $4, 'stint_oat', 'last', 'Bench', $10, '{}', $9, $7, '{}', $8, $5, $11, now(), now(),
    now() + interval '1 hour')`

/** The rows of one contract, its event and its delivery. */
const writing = `
  with contract as (
    insert into contracts (organization_id, id, type, title, status, created_by, worker_id, legal_entity_id, country, timezone,
      start_date, job_title, notice_period_days, amount, currency, scale, frequency, cycle_end_type, cycle_end,
      payment_due_days, pay_before_weekends, proration, vat_rate, reverse_charge, created_at, updated_at)
    values ($1, $2, 'fixed_rate', $3, 'pending', '{}', $4, $5, 'DE', 'Europe/Berlin', '2026-01-01', 'Engineer', 30, 4200, 'EUR',
      'monthly', 'monthly', 'day_of_month', 31, 14, true, 'calendar_days', 19, false, now(), now())
  ), words as (
    insert into search_words (organization_id, kind, word, subject_id)
    select $1, 'contract', word, $2 from unnest($11::text[]) word
  ), audit as (
    insert into audit_entries (id, organization_id, occurred_at, actor, action, subject_kind, subject_id, changed_fields)
    values ($9, $1, now(), '{}', 'contracts.create', 'contracts', $2, '{}')
  ), event as (
    insert into events (organization_id, event_id, event_type, occurred_at, recorded_at, is_simulation, resource)
    values ($1, $6, 'contract.created', now(), now(), false, $10::text::jsonb)
  ), body as (
    insert into event_bodies (organization_id, event_id, rendering, body, sha256)
    values ($1, $6, 'v2', convert_to($10::text, 'UTF8'), sha256(convert_to($10::text, 'UTF8')))
  ), resource as (
    insert into event_resources (organization_id, event_id, resource_id) select $1, $6, about from unnest($12::uuid[]) about
  )
  insert into webhook_open_deliveries (organization_id, event_id, id, subscription_id, event_type, is_simulation, rendering,
    origin, status, schedule_id, next_attempt_at, created_at, updated_at)
  values ($1, $6, $7, $8, 'contract.created', false, 'v2', 'event', 'pending', 0, now(), now(), now())`

/** The end of many deliveries: evidence, history, and the counters of their queue. */
const recording = `
  with done as (
    select * from unnest($3::uuid[], $4::uuid[], $5::uuid[], $6::timestamptz[]) as d (event_id, id, attempt_id, started_at)
  ), evidence as (
    insert into webhook_attempts (organization_id, event_id, id, delivery_id, subscription_id, series, attempt_no, counted,
      started_at, total_ms, url, request_headers, key_labels, response_status, outcome, decision, worker, applied)
    select $1, event_id, attempt_id, id, $2, 1, 0, true, started_at, 5, 'https://localhost/hook',
      '{"content-type": "application/json"}', '{key_bench}', 200, 'succeeded', 'done', 'bench', true from done
  ), ended as (
    delete from webhook_open_deliveries d using done
    where d.organization_id = $1 and d.event_id = done.event_id and d.id = done.id returning d.*
  ), history as (
    insert into webhook_deliveries (organization_id, event_id, id, subscription_id, event_type, is_simulation, rendering,
      origin, status, schedule_id, series, attempt_no, created_at, updated_at, first_attempt_at, completed_at)
    select organization_id, event_id, id, subscription_id, event_type, is_simulation, rendering, origin, 'succeeded',
      schedule_id, 1, 0, created_at, now(), now(), now() from ended
  )
  update webhook_lanes set last_attempt_at = now(), last_success_at = now()
  where organization_id = $1 and subscription_id = $2`
