import assert from 'node:assert/strict'
import { type Operation, pathFields } from '#core/operation.ts'
import { sql } from '#db/database.ts'
import { activeContract, type Body, createContract, insertNamed, memberToken, workerLogin } from '#test/factories.ts'
import { inOrganization, type TestService } from '#test/service.ts'
import { createSequencer } from '#webhooks/feed/sequencer.ts'
import { plain, type Schema } from './every-operation.ts'
import { create, creatorOf } from './rows.ts'

export interface FilledList {
  /** The service as its organization sees it. */
  t: TestService
  path: string
  token: string
  /** Every row, deleted ones too, with what only the maker of the row knows beside what it shows. */
  rows: Row[]
}

export type Row = Record<string, unknown>

interface Made {
  /** Fills the path of the list. */
  parents?: string[]
  token?: string
  /** Query that shows every row. */
  everything?: Record<string, string>
  facts?(row: Row): Promise<Row>
}

/** Rows that differ in what the filters of a list ask for, by list, where three samples made one after the other do not. */
const makers: Record<string, (t: TestService) => Promise<Made>> = {
  'contracts.list': contracts,
  'worker.list_contracts': async (t) => {
    const { worker_id } = await createContract(t)
    for (let made = 0; made < 2; made += 1) await later(t, createContract(t, { worker_id }))
    const { id } = await createContract(t, { worker_id })
    await post(t, `/contracts/${id}/cancel`)
    return { token: await workerLogin(t, worker_id) }
  },
  'amendments.list': async (t) => ({ parents: [(await amended(t)).id] }),
  'worker.list_amendments': async (t) => {
    const { id, worker_id } = await amended(t)
    return { parents: [id], token: await workerLogin(t, worker_id) }
  },
  'people.list': people,
  'api_tokens.list': async (t) => {
    for (const expires_at of ['2026-03-20T00:00:00.000Z', '2026-04-20T00:00:00.000Z']) {
      await later(t, post(t, '/api-tokens', { name: 'Export', scopes: ['contracts:read'], expires_at }))
    }
    await memberToken(t, 'owner')
    return {}
  },
  'oauth_grants.list': async (t) => {
    for (let made = 0; made < 3; made += 1)
      await later(
        t,
        createContract(t).then((row) => workerLogin(t, row.worker_id)),
      )
    return {}
  },
  'oauth_clients.list': async (t) => {
    const redirect_uris = ['https://app.example/callback']
    for (const name of ['One', 'Two']) {
      await later(t, post(t, '/oauth-clients', { name, redirect_uris, scopes: ['contracts:read'] }))
    }
    const { worker_id } = await createContract(t)
    await workerLogin(t, worker_id)
    const { body } = await t.call('GET', '/oauth-clients', { query: { kinds: 'dynamic' } })
    const changed = await t.call('PATCH', `/oauth-clients/${body.data[0].client_id}`, { body: { verdict: 'verified' } })
    assert.equal(changed.status, 200, JSON.stringify(changed.body))
    return {}
  },
  'organizations.list': async () => ({}),
  'webhooks.list': async (t) => {
    for (const status of ['active', 'disabled', 'active']) await later(t, subscribed(t, { status }))
    return {}
  },
  'webhooks.list_event_types': async () => ({}),
  'webhooks.list_deliveries': deliveries,
  'webhooks.list_replays': async (t) => {
    const { id } = await subscribed(t)
    const since = new Date(t.clock.now() - 3_600_000).toISOString()
    for (let made = 0; made < 3; made += 1) {
      const replay = await later(t, post(t, `/webhooks/${id}/replay`, { since }))
      await post(t, `/webhooks/${id}/replays/${replay.id}/cancel`)
    }
    return { parents: [id] }
  },
  'webhooks.list_signing_keys': async (t) => {
    const { id } = await subscribed(t)
    await later(t, post(t, `/webhooks/${id}/signing-keys`))
    return { parents: [id] }
  },
  'events.list': async (t) => {
    for (let made = 0; made < 3; made += 1) await createContract(t)
    await createSequencer(t.database.database, t.runtime.log).runDue()
    return {}
  },
}

/** Tells the rows of any list apart. */
export const idOf = (row: Row): unknown =>
  row.id ?? row.name ?? row.label ?? (row.data as { meta: { event_id: string } }).meta.event_id

/** A list in an organization of its own, with rows that its filters tell apart. */
export async function filledList(service: TestService, operation: Operation): Promise<FilledList> {
  const t = inOrganization(service, await service.createOrganization({ is_sandbox: false }))
  const make = makers[operation.id] ?? ((own: TestService) => threeSamples(own, operation))
  const { parents = [], token = t.organization.token, everything = {}, facts } = await make(t)
  const path = pathFields(operation.path).reduce<string>(
    (filled, field, index) => filled.replace(`:${field}`, parents[index] ?? ''),
    operation.path,
  )
  const { status, body } = await t.call('GET', path, { token, query: { limit: 100, ...everything } })
  assert.equal(status, 200, JSON.stringify(body))
  const rows: Row[] = await Promise.all(body.data.map(async (row: Row) => ({ ...row, ...(await facts?.(row)) })))
  return { t, path, token, rows }
}

async function threeSamples(t: TestService, operation: Operation): Promise<Made> {
  const creator = creatorOf(operation.path)
  assert.ok(creator && !operation.path.includes(':'), `${operation.id}: add a line to makers of list-rows.ts`)
  for (let made = 0; made < 3; made += 1) {
    await later(t, create(t, t.organization, creator, operation.path, different(creator, made)))
  }
  if (!('include_deleted' in operation.input.properties)) return {}
  const { id } = await later(t, create(t, t.organization, creator, operation.path, different(creator, 3)))
  const { status } = await t.call('DELETE', `${operation.path}/${id}`)
  assert.equal(status, 204)
  return { everything: { include_deleted: 'true' } }
}

const sample_names = ['Aurora', 'Borealis', 'Cirrus', 'Dusk']

/** Names, words and dates that differ from sample to sample, so that filters tell the rows apart. */
function different({ input }: Operation, made: number): Row {
  const fields = Object.entries(plain(input).properties as Record<string, Schema>)
  return Object.fromEntries(
    fields.flatMap(([name, { enum: words, format }]) => {
      if (name === 'name') return [[name, sample_names[made]]]
      if (name === 'external_id') return [[name, `own-${made}`]]
      if (Array.isArray(words)) return [[name, words[made % words.length]]]
      return format === 'date' ? [[name, `2026-03-1${made}`]] : []
    }),
  )
}

/** Rows to make, with a minute between one and the next. */
async function later<Value>(t: TestService, made: Promise<Value>): Promise<Value> {
  const value = await made
  await t.clock.advance(60_000)
  return value
}

async function post(t: TestService, path: string, body: unknown = {}): Promise<Body> {
  const answer = await t.call('POST', path, { body })
  assert.ok(answer.status < 300, `${path}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

function subscribed(t: TestService, fields: Record<string, unknown> = {}): Promise<Body> {
  const events = ['contract.created', 'contract.cancelled']
  return post(t, '/webhooks', { url: 'https://127.0.0.1:8444/hook', events, ...fields })
}

async function contracts(t: TestService): Promise<Made> {
  const team_id = await insertNamed(t, 'teams', 'Platform')
  const legal_entity_id = await insertNamed(t, 'legal_entities', 'Harbour Pine Inc.')
  const worker = { first_name: 'Ines', last_name: 'Rojas', email: 'ines@harbour.example', country: 'CL' }
  await later(t, createContract(t, { team_id, legal_entity_id, external_id: 'C07' }))
  const usd = { amount: '60.00', currency: 'USD', frequency: 'weekly' }
  await later(t, activeContract(t, { type: 'pay_as_you_go', compensation: usd, worker }))
  const { id } = await later(t, createContract(t, { start_date: '2026-08-01' }))
  await post(t, `/contracts/${id}/cancel`)
  await post(t, `/contracts/${id}/archive`)
  return {}
}

/** A contract with an amendment that the worker declined, one that the client withdrew, and one that waits. */
async function amended(t: TestService): Promise<Body> {
  const { id, worker_id } = await activeContract(t)
  const path = `/contracts/${id}/amendments`
  const propose = async (job_title: string) => {
    const { id: amendment_id } = await later(t, post(t, path, { terms: { job_title } }))
    await later(t, post(t, `${path}/${amendment_id}/sign`, { signer_name: 'Ada Client' }))
    return amendment_id
  }
  const token = await workerLogin(t, worker_id)
  const declined = await propose('Lead')
  const { status } = await t.call('POST', `/worker${path}/${declined}/decline`, { token, body: {} })
  assert.equal(status, 200)
  await t.clock.advance(60_000)
  await post(t, `${path}/${await propose('Head')}/withdraw`)
  await propose('Chief')
  return { id, worker_id }
}

/** Structure and most fields of people are written by operations of a later step; until then as rows. */
async function people(t: TestService): Promise<Made> {
  const { id: organization_id } = t.organization
  const described = (first_name: string, country: string) => ({
    worker: { first_name, last_name: 'Lind', country, external_id: first_name, email: `${first_name}@harbour.example` },
  })
  const employed = { type: 'employee', compensation: { amount: '6500.00', currency: 'EUR' } }
  const { worker_id: boss } = await later(t, activeContract(t, { ...described('Ada', 'DE'), ...employed }))
  const { worker_id: report } = await later(t, createContract(t, described('Hana', 'CZ')))
  const { worker_id: gone } = await later(t, createContract(t, described('Liam', 'US')))
  const team_id = await insertNamed(t, 'teams', 'Platform')
  const legal_entity_id = await insertNamed(t, 'legal_entities', 'Harbour Pine Inc.')
  const [department_id, location_id] = [crypto.randomUUID(), crypto.randomUUID()]
  await t.database.database.transaction({ role: 'app', organization_id }, async (tx) => {
    const own = sql`organization_id = ${organization_id}`
    await tx.run(sql`insert into departments (organization_id, id, name, created_at, updated_at)
      values (${organization_id}, ${department_id}, 'Engineering', app_now(), app_now())`)
    await tx.run(sql`insert into working_locations (organization_id, id, name, country, created_at, updated_at)
      values (${organization_id}, ${location_id}, 'Austin', 'US', app_now(), app_now())`)
    await tx.run(sql`insert into team_members (organization_id, team_id, person_id, created_at)
      values (${organization_id}, ${team_id}, ${report}, app_now())`)
    await tx.run(sql`update people set manager_id = ${boss}, department_id = ${department_id},
      working_location_id = ${location_id}, legal_entity_id = ${legal_entity_id} where ${own} and id = ${report}`)
    await tx.run(sql`update people set deleted_at = app_now() where ${own} and id = ${gone}`)
  })
  return { everything: { include_deleted: 'true' } }
}

/** Deliveries of two types and statuses, of an event and of a simulation. */
async function deliveries(t: TestService): Promise<Made> {
  const { id } = await subscribed(t)
  const { id: contract_id } = await later(t, createContract(t))
  await later(t, post(t, `/webhooks/${id}/simulate`, { event_type: 'contract.created' }))
  const disabled = await t.call('PATCH', `/webhooks/${id}`, { body: { status: 'disabled' } })
  assert.equal(disabled.status, 200)
  await t.dispatcher.runDue()
  await post(t, `/webhooks/${id}/enable`, { held: 'discard' })
  await t.dispatcher.runDue()
  await later(t, post(t, `/contracts/${contract_id}/cancel`))
  await later(t, createContract(t))
  const facts = async ({ event_id, is_simulation }: Row) => {
    if (is_simulation) return {}
    const { body } = await t.call('GET', `/events/${event_id}`)
    return { resource_id: body.event.data.resource[0].contract_id }
  }
  return { parents: [id], facts }
}
