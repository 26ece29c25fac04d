import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addDays } from '#core/values.ts'
import { activeContract, createContract } from '#test/factories.ts'
import { startTestService, type TestAnswer, type TestOrganization, type TestService } from '#test/service.ts'

const today = '2026-06-15'

let service: TestService
let sandbox: TestOrganization
before(async () => {
  service = await startTestService()
  await service.clock.set(`${today}T09:00:00.000Z`)
  sandbox = await service.createOrganization({ is_sandbox: true })
})
after(() => service.close())

const call = (method: string, path: string, body: object = {}): Promise<TestAnswer> =>
  service.call(method, path, { token: sandbox.token, body })
const active = (overrides: object = {}) => activeContract(service, { ...overrides }, sandbox)
const pending = (overrides: object = {}) => createContract(service, { ...overrides }, sandbox)
const named = { signer_name: 'Someone Named' }

/** Every range that a refusal offers is one that a date can lie in. */
function rangeOf({ body }: TestAnswer): { from: string; to: string } {
  assert.equal(body.code, 'date_out_of_range', JSON.stringify(body))
  const [, from, to] = /from (\S+) to (\S+)/.exec(body.errors[0].message) ?? []
  assert.ok(from && to && from <= to, body.errors[0].message)
  return { from, to }
}

test('a contract that has not begun is not terminated today, and the refusal names the dates that are possible', async () => {
  const start_date = addDays(today, 30)
  const { id } = await active({ start_date })
  const at_once = await call('POST', `/contracts/${id}/terminate`, { type: 'termination' })
  const { from, to } = rangeOf(at_once)
  assert.equal(from, start_date)
  const path = `/contracts/${id}/terminate`
  assert.equal(rangeOf(await call('POST', path, { type: 'termination', completion_date: today })).from, from)
  assert.equal((await call('GET', `/contracts/${id}`)).body.status, 'active')
  for (const completion_date of [from, to]) {
    const { body } = await call('POST', path, { type: 'termination', completion_date })
    assert.equal(body.last_day, completion_date)
    assert.ok(body.last_day >= body.start_date)
    await call('POST', `/contracts/${id}/cancel-termination`)
  }
})

test('regression: a start further ahead than a termination leaves a possible range', async () => {
  const start_date = addDays(today, 700)
  const { id } = await active({ start_date })
  const refused = await call('POST', `/contracts/${id}/terminate`, { type: 'termination', completion_date: today })
  assert.deepEqual(refused.body.errors, [{ pointer: '/completion_date', message: `must be ${start_date}` }])
  const path = `/contracts/${id}/terminate`
  assert.equal((await call('POST', path, { type: 'termination', completion_date: start_date })).status, 200)
})

test('a single possible date is offered as one', async () => {
  const { id } = await active({ start_date: today, end_date: today })
  const path = `/contracts/${id}/terminate`
  const { body } = await call('POST', path, { type: 'termination', completion_date: addDays(today, 1) })
  assert.equal(body.errors[0].message, `must be ${today}`)
})

test('what has ended is not signed by anybody, and nobody is invited to', async () => {
  const { id } = await pending({ start_date: addDays(today, -30), end_date: addDays(today, -1) })
  for (const [path, body] of [
    [`/contracts/${id}/sign`, named],
    [`/sandbox/contracts/${id}/worker-signature`, named],
    [`/contracts/${id}/invite`, {}],
  ] as const) {
    const { body: refusal } = await call('POST', path, body)
    assert.equal(refusal.code, 'invalid_state', path)
    assert.match(refusal.detail, new RegExp(addDays(today, -1)))
  }
  // Its last day is still a day.
  const { id: last } = await pending({ start_date: addDays(today, -30), end_date: today })
  assert.equal((await call('POST', `/contracts/${last}/sign`, named)).status, 200)
})

test('what has ended, and whose timer is late, is neither signed, terminated nor kept', async (t) => {
  t.after(() => service.clock.set(`${today}T09:00:00.000Z`))
  const contract = await active({ end_date: addDays(today, 10) })
  const draft = await call('POST', `/contracts/${contract.id}/amendments`, { terms: { job_title: 'Lead' } })
  const leaving = await active()
  const completion_date = addDays(today, 10)
  await call('POST', `/contracts/${leaving.id}/terminate`, { type: 'resignation', completion_date })
  await service.clock.set(`${addDays(today, 12)}T09:00:00.000Z`)
  for (const [path, body] of [
    [`/contracts/${contract.id}/amendments/${draft.body.id}/sign`, named],
    [`/contracts/${contract.id}/terminate`, { type: 'termination' }],
    [`/contracts/${leaving.id}/cancel-termination`, {}],
  ] as const) {
    const { status, body: refusal } = await call('POST', path, body)
    assert.equal(`${status} ${refusal.code}`, '409 invalid_state', path)
    assert.match(refusal.detail, new RegExp(completion_date))
  }
})

test('no agreement ends more than a hundred years after its start, be it new, changed or amended', async () => {
  const latest = '2126-06-15'
  const beyond = addDays(latest, 1)
  const contract = await pending({ end_date: latest })
  const refused = await call('POST', '/contracts', {
    type: 'fixed_rate',
    title: 'For ever',
    worker_id: contract.worker_id,
    start_date: today,
    end_date: beyond,
    compensation: { amount: '1.00', currency: 'EUR', frequency: 'monthly' },
  })
  const changed = await call('PATCH', `/contracts/${contract.id}`, { end_date: '9999-12-31' })
  const { id } = await active()
  const amended = await call('POST', `/contracts/${id}/amendments`, { terms: { end_date: beyond } })
  for (const [{ body }, pointer] of [
    [refused, '/end_date'],
    [changed, '/end_date'],
    [amended, '/terms/end_date'],
  ] as const) {
    assert.deepEqual([body.code, body.errors[0].pointer], ['date_out_of_range', pointer])
    assert.match(body.errors[0].message, new RegExp(latest))
  }
  assert.equal((await call('POST', `/contracts/${id}/amendments`, { terms: { end_date: latest } })).status, 201)
})

test('a leap day has its own hundred years', async () => {
  const ends = async (start_date: string, end_date: string) => {
    const { worker_id } = await pending()
    const { status, body } = await call('POST', '/contracts', {
      type: 'fixed_rate',
      title: 'Long',
      worker_id,
      start_date,
      end_date,
      compensation: { amount: '1.00', currency: 'EUR', frequency: 'monthly' },
    })
    return status === 201 ? status : `${status} ${JSON.stringify(body.errors)}`
  }
  assert.equal(await ends('2028-02-29', '2128-02-29'), 201)
  assert.match(`${await ends('2028-02-29', '2128-03-01')}`, /must not be after 2128-02-29/)
})

test('an end that is over is refused with the first day that is possible, not with the start of the contract', async () => {
  const { id } = await active()
  const { body } = await call('POST', `/contracts/${id}/amendments`, { terms: { end_date: '2020-01-01' } })
  const [, first = ''] = /not before (\S+)$/.exec(body.errors[0].message) ?? []
  const possible = await call('POST', `/contracts/${id}/amendments`, { terms: { end_date: first } })
  assert.equal(possible.status, 201, `${body.errors[0].message} ${JSON.stringify(possible.body)}`)
})
