import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keepBusinessTime } from '#core/sandbox-clock.ts'
import { sql } from '#db/database.ts'
import { cases } from '#test/cases.ts'
import { contractIn } from '#test/contract-states.ts'
import { memberToken, workerToken } from '#test/factories.ts'
import { useTestService } from '#test/service.ts'

cases(
  'sandbox.reset',
  {
    'people and contracts go, and nothing is told': {
      given: (t) => contractIn(t, 'active', { end_date: '2026-11-30' }),
      input: { demo_data: false },
      body: { name: 'Harbour Pine', is_sandbox: true },
      audit: { subject_kind: 'organizations' },
      async afterwards(t, { given }) {
        for (const path of ['/contracts', '/people', '/teams']) {
          assert.equal((await t.call('GET', path)).body.total_count, 0, path)
        }
        assert.equal((await t.call('GET', '/sandbox/clock')).body.pending_timers, 0)
        assert.equal((await t.call('GET', '/worker/contracts', { token: given.worker })).status, 401)
        assert.equal((await contractIn(t, 'active')).contract_id.length, 36)
      },
    },
    'the clock runs with real time again': {
      async given(t) {
        const { status } = await t.call('POST', '/sandbox/clock/advance', { body: { by: 'P1Y' } })
        assert.equal(status, 200)
        return {}
      },
      input: { demo_data: false },
      body: { clock_now: '2026-06-15T09:00:00.000Z' },
    },
    'a live organization is never emptied': {
      sandbox: false,
      input: { demo_data: false },
      answers: '409 sandbox_only',
    },
  },
  { sandbox: true },
)

test('the demo comes unless it is not wanted: with its audit log, and none of its events', async (t) => {
  const service = await useTestService(t)
  const { id, token } = await service.createOrganization({ is_sandbox: true })
  const { body } = await service.call('POST', '/sandbox/reset', { token, body: {} })
  assert.equal(body.clock_now, '2026-04-15T12:00:00.000Z')
  assert.equal((await service.call('GET', '/contracts', { token })).body.total_count, 15)
  assert.deepEqual(await service.takeEvents(id), [])
  const lines = await service.database.database.transaction({ role: 'app', organization_id: id }, (tx) =>
    tx.rows<{ action: string }>(sql`select action from audit_entries where organization_id = ${id}`),
  )
  assert.equal(lines.filter(({ action }) => action === 'contracts.create').length, 15)
})

test('the demo comes by the right to reset alone, and settings that would bend its story give way to its own', async (t) => {
  const service = await useTestService(t)
  const { id, token } = await service.createOrganization({ is_sandbox: true, name: 'Cedar & Reed' })
  const scopes = ['organizations:write'] as const
  const narrow = await service.createToken(id, { is_sandbox: true, scopes, sensitive_data: [] })
  const change = { timezone: 'America/New_York', settings: { payment_approval: 'second_person', invoice_prefix: 'CR' } }
  for (const own of [narrow, await memberToken(service, 'admin', id)]) {
    assert.equal((await service.call('PATCH', `/organizations/${id}`, { token, body: change })).status, 200)
    const { status, body } = await service.call('POST', '/sandbox/reset', { token: own, body: {} })
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(
      [body.name, body.timezone, body.settings.payment_approval, body.settings.invoice_prefix],
      ['Cedar & Reed', 'Europe/Berlin', 'second_person', 'INV'],
    )
    assert.equal((await service.call('GET', '/payments', { token })).body.total_count, 7)
  }
})

test('a reset leaves other organizations, tokens, webhooks, events and the audit log alone', async (t) => {
  const service = await useTestService(t, { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' })
  const sandbox = await service.createOrganization({ is_sandbox: true })
  const other = await service.createOrganization({ is_sandbox: true })
  const { token } = sandbox
  const of = (organization: typeof other) => ({ ...service, organization, call: callAs(organization.token) })
  const callAs =
    (own: string): typeof service.call =>
    (method, path, options) =>
      service.call(method, path, { token: own, ...options })
  const hook = { url: 'https://127.0.0.1:8444/hook', events: ['contract.created'] }
  assert.equal((await service.call('POST', '/webhooks', { token, body: hook })).status, 201)
  for (const each of [sandbox, other]) {
    const { worker_id } = await contractIn(of(each), 'active')
    await workerToken(service, worker_id, each)
  }
  const counts = (organization_id: string) =>
    service.database.database.transaction({ role: 'owner' }, (tx) =>
      tx.row(sql`
        select (select count(*)::int from contracts where organization_id = o.id) as contracts,
               (select count(*)::int from access_tokens where organization_id = o.id and person_id is null) as tokens,
               (select count(*)::int from access_tokens where organization_id = o.id and person_id is not null) as of_people,
               (select count(*)::int from webhook_subscriptions where organization_id = o.id) as webhooks,
               (select count(*)::int from events where organization_id = o.id) as events,
               (select count(*)::int from audit_entries where organization_id = o.id) as lines
        from organizations o where id = ${organization_id}`),
    )
  // The cast holds because the organizations were just made.
  const [before, of_other] = (await Promise.all([sandbox.id, other.id].map(counts))) as [{ lines: number }, object]
  const { status, body } = await service.call('POST', '/sandbox/reset', { token, body: { demo_data: false } })
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual(await counts(sandbox.id), { ...before, contracts: 0, of_people: 0, lines: before.lines + 1 })
  assert.deepEqual(await counts(other.id), of_other)
})

test('while a reset runs, further resets and changes of the sandbox are refused at once and reads are answered', async (t) => {
  const service = await useTestService(t)
  const sandbox = await service.createOrganization({ is_sandbox: true })
  const { id: organization_id, token } = sandbox
  const reset = () => service.call('POST', '/sandbox/reset', { token, body: { demo_data: false } })
  const change = (name: string) => service.call('POST', '/teams', { token, body: { name } })
  const { database } = service.database
  await database.transaction({ role: 'app', organization_id }, async (tx) => {
    // As a reset begins; it then takes its time.
    await keepBusinessTime(tx, { organization_id, is_sandbox: true }, { strength: 'for update' })
    const refused = [await reset(), ...(await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(change))), await reset()]
    assert.deepEqual(
      new Set(refused.map(({ status, body }) => `${status} ${body.code}`)),
      new Set(['409 clock_advancing']),
    )
    assert.equal((await service.call('GET', '/teams', { token })).status, 200)
  })
  assert.equal((await change('a')).status, 201)
  assert.equal((await reset()).status, 200)
})

test('every tenant table is one that a reset empties, or one that is listed as kept', async (t) => {
  const { database } = await useTestService(t)
  const rows = await database.database.transaction({ role: 'owner' }, (tx) =>
    tx.rows<{ name: string }>(sql`
      select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id'
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and not has_table_privilege('stint_operator', c.oid, 'delete') order by name`),
  )
  assert.deepEqual(
    rows.map(({ name }) => name).filter((name) => !/^(webhook|event)_|^events$/.test(name)),
    [
      ...[
        'audit_batches',
        'audit_entries',
        'idempotent_answers',
        'member_invitations',
        'memberships',
        'oauth_client_verdicts',
      ],
      ...['organizations', 'request_counts', 'request_logs', 'sandbox_clocks'],
    ],
    'a new table of business rows grants select and delete to stint_operator, and its policy names that role',
  )
})
