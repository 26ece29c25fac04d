import assert from 'node:assert/strict'
import { type Operation, pathFields } from '#core/operation.ts'
import { addDays, newId } from '#core/values.ts'
import { sql } from '#db/database.ts'
import { lockInvoices, moveInvoices } from '#resources/invoices/index.ts'
import {
  activeContract,
  addMember,
  type Body,
  createContract,
  insertNamed,
  memberToken,
  workerLogin,
} from '#test/factories.ts'
import { bookInvoice, reverseInvoice } from '#test/ledger.ts'
import { issuedInvoice } from '#test/payments.ts'
import { inOrganization, type TestService } from '#test/service.ts'
import { makePolicy, personAndPolicy, requestTimeOff, timeOffIn } from '#test/time-off.ts'
import { anInvoice, asInvoicing, enter, type Kind, kinds, putOnInvoice } from '#test/work-items.ts'
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
  'timesheets.list': (t) => work(t, 'timesheets'),
  'worker.list_timesheets': async (t) => ({ ...(await work(t, 'timesheets')), token: await workerWithWork(t) }),
  'invoice_adjustments.list': (t) => work(t, 'invoice_adjustments'),
  'worker.list_invoice_adjustments': async (t) => ({
    ...(await work(t, 'invoice_adjustments')),
    token: await workerWithWork(t),
  }),
  'payment_cycles.list': async (t) => ({ parents: [(await longContract(t)).id] }),
  'invoices.list': invoices,
  'worker.list_invoices': async (t) => ({ ...(await invoices(t)), token: await workerWithWork(t) }),
  'people.list': people,
  'time_offs.list': async (t) => {
    await absences(t, await personAndPolicy(t))
    const ended = await timeOffIn(t, 'cancelled', { ...(await personAndPolicy(t)), external_id: 'T9' })
    assert.equal(ended.status, 'cancelled')
    return {}
  },
  'worker.list_time_offs': async (t) => {
    const of = await personAndPolicy(t)
    await absences(t, of)
    return { token: await workerLogin(t, of.person_id) }
  },
  'time_offs.list_entitlements': async (t) => {
    const { person_id } = await personAndPolicy(t)
    await makePolicy(t)
    return { parents: [person_id] }
  },
  'worker.list_time_off_entitlements': async (t) => {
    const { person_id } = await personAndPolicy(t)
    await makePolicy(t)
    return { token: await workerLogin(t, person_id) }
  },
  'custom_fields.list': async (t) => {
    const field = { name: 'A field', type: 'text' }
    for (const [key, entity] of [
      ['one', 'person'],
      ['two', 'contract'],
      ['gone', 'contract'],
    ]) {
      const { id } = await later(t, post(t, '/custom-fields', { ...field, key, entity }))
      if (key === 'gone') await t.call('DELETE', `/custom-fields/${id}`)
    }
    return { everything: { include_deleted: 'true' } }
  },
  'departments.list': async (t) => {
    const { id } = await later(t, post(t, '/departments', { name: 'Aurora', external_id: 'own-1' }))
    const below = { name: 'Borealis', parent_id: id, external_id: 'own-2' }
    const { id: gone } = await later(t, post(t, '/departments', below))
    await t.call('DELETE', `/departments/${gone}`)
    await later(t, post(t, '/departments', { ...below, name: 'Cirrus', external_id: 'own-3' }))
    return { everything: { include_deleted: 'true' } }
  },
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
  'members.list': async (t) => {
    const { token } = await later(t, addMember(t, 'owner'))
    await later(t, addMember(t, 'viewer'))
    const { member_id } = await later(t, addMember(t, 'finance'))
    const { status } = await t.call('PATCH', `/members/${member_id}`, { token, body: { status: 'disabled' } })
    assert.equal(status, 200)
    return { token }
  },
  'member_invitations.list': async (t) => {
    const token = await memberToken(t, 'owner')
    for (const role of ['admin', 'viewer', 'finance']) {
      const body = { email: `${role}@harbour.example`, role }
      const { status } = await later(t, t.call('POST', '/members/invitations', { token, body }))
      assert.equal(status, 201)
    }
    return { token }
  },
  'payments.list': payments,
  'payments.get_breakdown': async (t) => ({ parents: [(await paymentOf(t, 3)).id] }),
  'ledger.list_accounts': ledger,
  'ledger.list_transactions': ledger,
  'organizations.list': async () => ({}),
  'lookups.countries': async () => ({}),
  'lookups.currencies': async () => ({}),
  'lookups.time_zones': async () => ({}),
  'request_logs.list': async (t) => {
    await later(t, t.call('GET', '/teams'))
    const narrow = await t.createToken(t.organization.id, { scopes: ['people:read'] })
    await later(t, t.call('GET', '/contracts', { token: narrow }))
    await later(t, t.call('GET', '/organizations', { headers: { 'request-id': 'own-1' } }))
    const app = await createContract(t)
    const token = await workerLogin(t, app.worker_id)
    await later(t, t.call('GET', '/worker/contracts', { token }))
    const scim = {
      method: 'GET',
      url: '/scim/v2/Users',
      headers: { authorization: `Bearer ${t.organization.token}` },
    } as const
    await later(t, t.app.inject(scim))
    await t.requests.flush()
    const facts = async ({ status }: Row) => ({
      status: String(status),
      outcome: Number(status) < 400 ? 'succeeded' : 'refused',
    })
    return { facts }
  },
  'audit.list': async (t) => {
    await later(t, createContract(t))
    await t.sealing.runDue()
    const token = await memberToken(t, 'admin')
    await later(t, t.call('POST', '/teams', { token, body: { name: 'Platform' } }))
    const facts = async ({ actor, subject }: Row) => ({
      actor_id: (actor as Row).id,
      subject_kind: (subject as Row).kind,
      subject_id: (subject as Row).id,
    })
    return { facts }
  },
  'audit.list_batches': async (t) => {
    for (let made = 0; made < 3; made += 1) {
      await later(t, createContract(t))
      await t.sealing.runDue()
    }
    return {}
  },
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
  row.id ??
  row.code ??
  row.name ??
  row.label ??
  row.number ??
  row.hash ??
  (row.policy as { id: string } | undefined)?.id ??
  (row.data as { meta: { event_id: string } }).meta.event_id

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

/** Payments of one invoice or more, in two currencies, on three days; one has failed. */
async function payments(t: TestService): Promise<Made> {
  const { id } = await paymentOf(t, 2, { external_id: 'own-1' })
  await t.clock.advance(86_400_000)
  await paymentOf(t, 1, { external_id: 'own-2' }, 'USD')
  await post(t, `/payments/${id}/fail`, { reason: 'Closed.' })
  await t.clock.advance(86_400_000)
  await paymentOf(t, 1)
  return {
    facts: async ({ invoices, created_at }) => {
      const [first] = invoices as Row[]
      return {
        invoice_id: first?.invoice_id,
        contract_id: first?.contract_id,
        created: String(created_at).slice(0, 10),
      }
    },
  }
}

async function paymentOf(t: TestService, invoices: number, body: object = {}, currency = 'EUR'): Promise<Body> {
  const { id: contract_id } = await activeContract(t, {
    compensation: { amount: '100', currency, frequency: 'monthly' },
  })
  const made = Array.from({ length: invoices }, () => issuedInvoice(t, { contract_id }))
  const invoice_ids = (await Promise.all(made)).map(({ id }) => id)
  return post(t, '/payments', { invoice_ids, ...body })
}

/** Invoices in two currencies on three days; one is reversed. */
async function ledger(t: TestService): Promise<Made> {
  const { id } = await later(t, createContract(t))
  const invoice = await later(t, bookInvoice(t, id, { effective_date: '2026-03-10' }))
  await later(t, bookInvoice(t, (await createContract(t)).id, { currency: 'USD', effective_date: '2026-03-12' }))
  await later(t, bookInvoice(t, id, { effective_date: '2026-03-14' }))
  await later(t, reverseInvoice(t, invoice))
  return {
    facts: async ({ source, entries }) => ({
      source_id: (source as Row | undefined)?.id,
      account_id: (entries as Row[] | undefined)?.[0]?.account_id,
      ...(entries !== undefined && { contract_id: (entries as Row[]).at(-1)?.contract_id }),
    }),
  }
}

/** Time off of one person under two policies, in different weeks and states. */
async function absences(t: TestService, of: { person_id: string; policy_id: string }): Promise<void> {
  const { person_id } = of
  await later(t, requestTimeOff(t, { ...of, external_id: 'T1', auto_approve: true }))
  const { id: policy_id } = await makePolicy(t, { leave_type: 'sick', annual_allowance_days: null })
  const days = { start_date: '2026-09-07', end_date: '2026-09-07' }
  await later(t, requestTimeOff(t, { person_id, policy_id, ...days, external_id: 'T2' }))
}

/** Items of two workers on three contracts: one waits, one is approved, one stands on an invoice, one was deleted. */
async function work(t: TestService, kind: Kind): Promise<Made> {
  const { contract: terms, path } = kinds[kind]
  const start_date = addDays(new Date(t.clock.now()).toISOString().slice(0, 10), -5)
  const first = await activeContract(t, { ...terms, start_date, external_id: 'first' })
  const second = await activeContract(t, { ...terms, start_date, worker_id: first.worker_id })
  const foreign = await activeContract(t, { ...terms, start_date })
  const add = (contract: Body, day: number, more: object) => {
    const date = addDays(start_date, day)
    const dates = kind === 'timesheets' ? { start_date: date, end_date: date, quantity: '8' } : { date }
    return later(t, enter(t, kind, { contract_id: contract.id }, { ...dates, ...more }))
  }
  const recurring = kind === 'timesheets' ? {} : { type: 'bonus', is_recurring: true }
  await add(first, 1, { external_id: 'own-1', auto_approve: false })
  const { id } = await add(second, 2, { external_id: 'own-2', ...recurring })
  await putOnInvoice(t, kind, id, await anInvoice(t, second.id))
  await add(foreign, 3, {})
  const gone = await add(first, 4, {})
  assert.equal((await t.call('DELETE', `${path}/${gone.id}`)).status, 204)
  const facts = async (row: Row) => ({ date: row.end_date ?? row.date })
  return { everything: { include_deleted: 'true' }, facts }
}

/** A contract that began three months ago: cycles are over, and have invoices. */
async function longContract(t: TestService, more: object = {}): Promise<Body> {
  const start_date = addDays(new Date(t.clock.now()).toISOString().slice(0, 10), -92)
  const made = await activeContract(t, { start_date, ...more })
  await t.timers.runDue()
  return made
}

/** Invoices of two contracts, of cycles and beside them: one is overdue, one was cancelled. */
async function invoices(t: TestService): Promise<Made> {
  const { id: contract_id, legal_entity, worker_id } = await longContract(t, { external_id: 'first' })
  const other = await insertNamed(t, 'legal_entities', 'Harbour Pine Inc.')
  const usd = { amount: '60.00', currency: 'USD', frequency: 'weekly' }
  await later(t, longContract(t, { legal_entity_id: other, compensation: usd }))
  const { id } = await enter(
    t,
    'invoice_adjustments',
    { contract_id },
    { date: addDays(new Date(t.clock.now()).toISOString().slice(0, 10), -1) },
  )
  const made = await later(t, post(t, '/invoices', { contract_id, invoice_adjustment_ids: [id] }))
  await post(t, `/invoices/${made.id}/cancel`, { reason: 'Twice.' })
  const { body } = await t.call('GET', '/invoices', { query: { statuses: 'pending' } })
  await asInvoicing(t, async (context) => {
    const rows = await lockInvoices(context.tx, t.organization.id, [body.data[0].id])
    await moveInvoices(context, rows, { status: 'processing', payment_id: newId(t.clock.now()) })
  })
  const facts = async (row: Row) => ({ legal_entity_id: row.worker_id === worker_id ? legal_entity.id : other })
  return { facts }
}

/** The worker of the contract with the external id `first`. */
async function workerWithWork(t: TestService): Promise<string> {
  const { body } = await t.call('GET', '/contracts', { query: { external_id: 'first' } })
  return workerLogin(t, body.data[0].worker_id)
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
      working_location_id = ${location_id}, legal_entity_id = ${legal_entity_id}, scim_linked_at = app_now(),
      scim_synced_at = app_now() where ${own} and id = ${report}`)
    await tx.run(sql`update people set deleted_at = app_now() where ${own} and id = ${gone}`)
  })
  const facts = async ({ provisioned_at }: Row) => ({ is_provisioned: String(provisioned_at !== null) })
  return { everything: { include_deleted: 'true' }, facts }
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
