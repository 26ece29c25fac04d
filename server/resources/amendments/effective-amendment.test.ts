import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { newId } from '#core/values.ts'
import { sql } from '#db/database.ts'
import { type Amendments, amendmentsOf, day_ms, raise } from '#test/amendments.ts'
import { startTestService, type TestAnswer, type TestService } from '#test/service.ts'
import { firedNow } from '#test/timers.ts'

let service: TestService
let at: Amendments
let contract: TestAnswer['body']

beforeEach(async () => {
  service = await startTestService()
  await service.clock.set('2026-03-18T09:00:00Z')
  at = amendmentsOf(service, await service.createOrganization({ is_sandbox: true }))
  contract = await at.activeContract({ start_date: '2026-01-15' })
})
afterEach(() => service.close())

const moved = 'contract.amendment.status.updated'
const amended = 'contract.amended'

/** Start of 1 April in Berlin, where summer time has begun. */
const first_of_april = '2026-03-31T22:00:00.000Z'

/** Events since the last look, but for those of cycles that the clock went past. */
const told = async () =>
  (await service.takeEvents(at.organization.id)).filter(
    ({ event_type }) => !/^(payment-cycle|invoice)\./.test(event_type),
  )

const fromApril = { ...raise, effective_date: '2026-04-01' }

interface Version {
  amendment_id: string | null
  effective_from: string
  amount: string
  job_title: string | null
}

const versionsOf = ({ id }: { id: string }) =>
  service.runtime.database.transaction({ role: 'app', organization_id: at.organization.id, read_only: true }, (tx) =>
    tx.rows<Version>(sql`
      select amendment_id, effective_from, terms->>'amount' as amount, terms->>'job_title' as job_title
      from contract_terms where contract_id = ${id} order by version`),
  )
const versions = () => versionsOf(contract)
const withoutIds = ({ amendment_id: _, ...version }: Version) => version

const audited = () =>
  service.runtime.database.transaction({ role: 'app', organization_id: at.organization.id, read_only: true }, (tx) =>
    tx.rows<{ action: string; subject_kind: string; subject_id: string }>(sql`
      select action, subject_kind, subject_id from audit_entries where action = 'amendment_effective'`),
  )

test('an approved amendment takes effect at the start of its day in the zone of the contract', async () => {
  const approved = await at.agreed(contract, fromApril)
  await service.takeEvents(at.organization.id)
  await service.clock.set('2026-03-31T21:59:59.999Z')
  assert.equal(await firedNow(service, 'amendment_effective'), 0)
  assert.deepEqual(await at.contract(contract), contract)
  await service.clock.set(first_of_april)
  assert.equal(await firedNow(service, 'amendment_effective'), 1)
  const active = await at.get(approved)
  assert.deepEqual([active.status, active.sign_status, active.activated_at], ['active', 'approved', first_of_april])
  const { compensation, current_amendment_id, updated_at } = await at.contract(contract)
  assert.deepEqual([compensation.amount, current_amendment_id], ['4500.00', approved.id])
  assert.ok(updated_at > contract.updated_at)
  const events = await told()
  assert.deepEqual(
    events.map(({ event_type }) => event_type),
    [moved, amended],
  )
  const { amendment_id, effective_date, changes, status } = events[1]?.resource[0] ?? {}
  assert.deepEqual(
    { amendment_id, effective_date, changes, status },
    {
      amendment_id: approved.id,
      effective_date: '2026-04-01',
      changes: [{ field: 'amount', from: '4200.00', to: '4500.00' }],
      status: 'active',
    },
  )
  assert.deepEqual(await versions(), [
    { amendment_id: null, effective_from: '2026-01-15', amount: '4200.00', job_title: null },
    { amendment_id: approved.id, effective_from: '2026-04-01', amount: '4500.00', job_title: null },
  ])
  assert.deepEqual(await audited(), [
    { action: 'amendment_effective', subject_kind: 'amendments', subject_id: approved.id },
  ])
})

test('a run of the timers days late, in parallel and once more has the effect of one on time', async () => {
  const approved = await at.agreed(contract, fromApril)
  await service.takeEvents(at.organization.id)
  await service.clock.set('2026-04-09T13:00:00Z')
  const fired = await firedNow(service, 'amendment_effective', 3)
  assert.equal(fired, 1)
  assert.equal(await firedNow(service, 'amendment_effective'), 0)
  const active = await at.get(approved)
  assert.deepEqual(
    [active.status, active.effective_date, active.activated_at],
    ['active', '2026-04-01', first_of_april],
  )
  assert.deepEqual(await at.events(), [moved, amended])
  assert.deepEqual(
    (await versions()).map(({ effective_from }) => effective_from),
    ['2026-01-15', '2026-04-01'],
  )
})

test('several amendments take effect in the order of their dates, each on what the one before it left', async () => {
  const second = await at.agreed(contract, { terms: { amount: '5000.00' }, effective_date: '2026-05-01' })
  const first = await at.agreed(contract, {
    terms: { amount: '4500.00', job_title: 'Lead' },
    effective_date: '2026-04-01',
  })
  assert.deepEqual(second.changes, [{ field: 'amount', from: '4200.00', to: '5000.00' }])
  await service.takeEvents(at.organization.id)
  await service.clock.set('2026-06-01T00:00:00Z')
  assert.equal(await firedNow(service, 'amendment_effective'), 2)
  const events = (await told()).map(({ event_type, resource }) => [event_type, resource[0]?.amendment_id])
  assert.deepEqual(events, [
    [moved, first.id],
    [amended, first.id],
    [moved, second.id],
    [amended, second.id],
    [moved, first.id],
  ])
  const [one, two] = [await at.get(first), await at.get(second)]
  assert.deepEqual([one.status, two.status], ['outdated', 'active'])
  assert.equal(one.outdated_at, two.activated_at)
  assert.deepEqual(two.changes, [{ field: 'amount', from: '4500.00', to: '5000.00' }])
  assert.deepEqual(
    (await versions()).map(({ amount, job_title }) => [amount, job_title]),
    [
      ['4200.00', null],
      ['4500.00', 'Lead'],
      ['5000.00', 'Lead'],
    ],
  )
})

test('a signature after the effective date takes effect at once, from that date', async () => {
  const pending = await at.signForClient(await at.draft(contract, { ...raise, effective_date: '2026-03-20' }))
  await service.clock.set('2026-03-27T09:00:00Z')
  const active = await at.signForWorker(pending)
  assert.deepEqual([active.status, active.effective_date], ['active', '2026-03-20'])
  assert.equal((await versions()).at(-1)?.effective_from, '2026-03-20')
})

test('a signature so late that the cycle has closed takes effect from the first day of the open one', async () => {
  const pending = await at.signForClient(await at.draft(contract, { ...raise, effective_date: '2026-03-20' }))
  await service.clock.set('2026-05-05T09:00:00Z')
  const active = await at.signForWorker(pending)
  assert.deepEqual([active.status, active.effective_date], ['active', '2026-05-01'])
})

test('without a date the day of the second signature counts, in the zone of the contract', async () => {
  const pending = await at.signForClient(await at.draft(contract))
  assert.equal(pending.effective_date, null)
  await service.clock.set('2026-03-19T23:30:00Z')
  const active = await at.signForWorker(pending)
  assert.deepEqual([active.status, active.effective_date], ['active', '2026-03-20'])
})

test('an earlier date than that of terms in force changes its own terms and keeps the others', async () => {
  const lead = await at.agreed(contract, { terms: { job_title: 'Lead' }, effective_date: '2026-03-10' })
  const back = await at.agreed(contract, { ...raise, effective_date: '2026-03-01' })
  assert.deepEqual(
    (await versions()).map(({ effective_from, amount, job_title }) => [effective_from, amount, job_title]),
    [
      ['2026-01-15', '4200.00', null],
      ['2026-03-10', '4200.00', 'Lead'],
      ['2026-03-01', '4500.00', null],
      ['2026-03-10', '4500.00', 'Lead'],
    ],
  )
  const { job_title, compensation, current_amendment_id } = await at.contract(contract)
  assert.deepEqual([job_title, compensation.amount, current_amendment_id], ['Lead', '4500.00', back.id])
  assert.equal((await at.get(lead)).status, 'outdated')
})

test('what should have taken effect already goes first when the timers are late and another one is signed', async () => {
  const approved = await at.agreed(contract, fromApril)
  const pending = await at.signForClient(await at.draft(contract, { terms: { amount: '4600.00' } }))
  await service.clock.set('2026-04-02T09:00:00Z')
  await service.takeEvents(at.organization.id)
  const active = await at.signForWorker(pending)
  const events = (await told()).map(({ event_type, resource }) => [event_type, resource[0]?.amendment_id])
  assert.deepEqual(events, [
    [moved, approved.id],
    [amended, approved.id],
    ['contract.amendment.signed', active.id],
    [moved, active.id],
    [amended, active.id],
    [moved, approved.id],
  ])
  assert.deepEqual(active.changes, [{ field: 'amount', from: '4500.00', to: '4600.00' }])
  const { status, activated_at } = await at.get(approved)
  assert.deepEqual([status, activated_at], ['outdated', first_of_april])
  assert.equal(await firedNow(service, 'amendment_effective'), 0)
  assert.equal((await at.contract(contract)).compensation.amount, '4600.00')
})

test('an amendment that no longer fits when it is signed is refused and stays withdrawable', async () => {
  const pending = await at.signForClient(await at.draft(contract, { terms: { end_date: '2026-03-25' } }))
  await service.clock.set('2026-03-26T09:00:00Z')
  const { status, body } = await at.call('POST', `/sandbox${at.path(pending)}/worker-signature`, {})
  assert.deepEqual([status, body.code], [409, 'invalid_state'])
  assert.equal(body.errors[0].pointer, '/terms/end_date')
  await at.done(at.call('POST', `${at.path(pending)}/withdraw`))
})

test('of the last day and an amendment on the day after it, the end of the contract comes first', async () => {
  const approved = await at.agreed(contract, { ...raise, effective_date: '2026-04-11' })
  const body = { type: 'resignation', completion_date: '2026-04-10' }
  await at.done(at.call('POST', `/contracts/${contract.id}/terminate`, body))
  await service.clock.advance(60 * day_ms)
  await service.timers.runDue()
  assert.equal((await at.get(approved)).status, 'outdated')
  assert.equal((await at.contract(contract)).status, 'terminated')
  assert.equal((await versions()).length, 1)
})

test('the worker’s signature and the client’s withdrawal at once have one outcome', async () => {
  for (const [sooner, later] of [
    ['sign', 'withdraw'],
    ['withdraw', 'sign'],
  ] as const) {
    const of = await at.activeContract()
    const pending = await at.signForClient(await at.draft(of))
    const acts = {
      sign: () => at.call('POST', `/sandbox${at.path(pending)}/worker-signature`, {}),
      withdraw: () => at.call('POST', `${at.path(pending)}/withdraw`, {}),
    }
    const answers = await Promise.all([acts[sooner](), acts[later]()])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
    const winner = answers.find(({ status }) => status === 200)?.body
    assert.equal((await at.get(pending)).status, winner.status)
    assert.equal((await at.contract(of)).compensation.amount, winner.status === 'active' ? '4500.00' : '4200.00')
  }
})

test('two signatures of the worker at once count once', async () => {
  const pending = await at.signForClient(await at.draft(contract))
  await service.takeEvents(at.organization.id)
  const sign = () => at.call('POST', `/sandbox${at.path(pending)}/worker-signature`, {})
  const answers = await Promise.all([sign(), sign()])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
  assert.deepEqual(await at.events(), ['contract.amendment.signed', moved, amended])
})

test('swept day by day or once at the end, amendments, terms and contract come out the same', async () => {
  const late = await at.activeContract({ start_date: '2026-01-15', end_date: '2026-07-10' })
  const history = async (of: { id: string }) => {
    await at.agreed(of, fromApril)
    await at.agreed(of, { terms: { amount: '5200.00', frequency: 'weekly' }, effective_date: '2026-06-01' })
    await at.agreed(of, { terms: { job_title: 'Lead' }, effective_date: '2026-05-12' })
    await at.agreed(of, { terms: { amount: '5400.00' }, effective_date: '2026-07-10' })
    await at.draft(of, { terms: { seniority: 'Senior' } })
  }
  const outcome = async (of: { id: string }) => {
    const { data } = await at.done(at.call('GET', `/contracts/${of.id}/amendments?limit=100`))
    const { status, ended_at, compensation, job_title } = await at.contract(of)
    const moments = data.map(
      ({ status, effective_date, activated_at, outdated_at, declined_at, changes }: TestAnswer['body']) => ({
        status,
        effective_date,
        activated_at,
        outdated_at,
        declined_at,
        changes,
      }),
    )
    return { status, ended_at, compensation, job_title, moments, versions: (await versionsOf(of)).map(withoutIds) }
  }
  await history(late)
  await service.clock.set('2026-08-01T09:00:00Z')
  await service.timers.runDue()
  const once = await outcome(late)

  await service.close()
  service = await startTestService()
  await service.clock.set('2026-03-18T09:00:00Z')
  at = amendmentsOf(service, await service.createOrganization({ is_sandbox: true }))
  const daily = await at.activeContract({ start_date: '2026-01-15', end_date: '2026-07-10' })
  await history(daily)
  while (service.clock.now() < Date.parse('2026-08-01T09:00:00Z')) {
    await service.clock.advance(day_ms)
    await service.timers.runDue()
  }
  assert.deepEqual(once, await outcome(daily))
  assert.deepEqual(
    once.moments.map(({ status }: { status: string }) => status),
    ['declined', 'outdated', 'outdated', 'outdated', 'outdated'],
  )
  assert.deepEqual([once.status, once.ended_at], ['completed', '2026-07-10T22:00:00.000Z'])
})

const open = { status: 'initial', sign_status: 'pending' }
const broken: [string, object, object, string][] = [
  ['a second open amendment', open, open, 'amendments_open'],
  ['a second active one', { status: 'active' }, { status: 'active' }, 'amendments_active'],
  ['a second approved one for a date', { status: 'approved' }, { status: 'approved' }, 'amendments_approved'],
  [
    'a sign status that the status does not allow',
    open,
    { status: 'declined', sign_status: 'approved' },
    'amendments_check',
  ],
  ['an agreement without the signature of the worker', open, { worker_signed_at: null }, 'amendments_check'],
]

for (const [what, first, second, constraint] of broken) {
  test(`the database itself refuses ${what}`, async () => {
    const insert = (columns: object) =>
      service.runtime.database.transaction({ role: 'app', organization_id: at.organization.id }, (tx) =>
        tx.run(sql`
          insert into amendments
          select (jsonb_populate_record(null::amendments, ${JSON.stringify({
            organization_id: at.organization.id,
            id: newId(service.clock.now()),
            contract_id: contract.id,
            sign_status: 'approved',
            effective_date: '2026-04-01',
            terms: {},
            changes: [],
            terms_version: 1,
            client_signed_at: '2026-03-18T09:00:00Z',
            worker_signed_at: '2026-03-18T09:00:00Z',
            created_by: {},
            created_at: '2026-03-18T09:00:00Z',
            updated_at: '2026-03-18T09:00:00Z',
            ...('sign_status' in columns && { client_signed_at: null, worker_signed_at: null }),
            ...columns,
          })}::jsonb)).*`),
      )
    await insert(first)
    await assert.rejects(insert({ status: 'approved', ...second }), (error: { constraint?: string }) =>
      String(error.constraint).startsWith(constraint),
    )
  })
}
