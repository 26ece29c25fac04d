import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timers } from '#boot/operations.ts'
import { createTimerJob } from '#core/jobs/fire-timers.ts'
import { sql } from '#db/database.ts'
import { serviceOfCases } from '#test/cases.ts'
import { type Body, workerLogin } from '#test/factories.ts'
import { at, cyclesOf, done, invoicesOf, signedContract } from '#test/invoices.ts'
import { faultsOfLedger } from '#test/ledger.ts'
import { inOrganization, type TestService } from '#test/service.ts'

async function organization(): Promise<TestService> {
  const service = await serviceOfCases()
  return inOrganization(service, await service.createOrganization({ is_sandbox: true }))
}

const hourly = { type: 'pay_as_you_go', start_date: '2026-03-02', tax: {} }
const weekly = { ...hourly, compensation: { amount: '45.00', currency: 'EUR', frequency: 'weekly' } }

const work = (t: TestService, { id: contract_id }: Body, day: string, quantity: string, more: object = {}) =>
  done(t, 'POST', '/timesheets', { contract_id, start_date: day, quantity, description: 'Work', ...more })
const adjust = (t: TestService, { id: contract_id }: Body, type: string, amount: string, more: object = {}) =>
  done(t, 'POST', '/invoice-adjustments', { contract_id, type, amount, description: type, ...more })
const types = async (t: TestService) => (await t.takeEvents()).map(({ event_type }) => event_type)
const statusOf = async (t: TestService, path: string, { id }: Body) => (await done(t, 'GET', `${path}/${id}`)).status

test('a cycle collects what is dated by its end and was approved before it closed; the rest rides on the next one', async () => {
  const t = await organization()
  const contract = await signedContract(t, weekly)
  await at(t, '2026-03-06T16:00:00.000Z')
  const first = await work(t, contract, '2026-03-06', '8')
  const late = await work(t, contract, '2026-03-05', '7.3333', { auto_approve: false })
  await at(t, '2026-03-08T22:59:59.999Z')
  await t.takeEvents()
  await at(t, '2026-03-08T23:00:00.000Z')
  assert.deepEqual(await types(t), ['payment-cycle.closed', 'invoice.created', 'timesheet.status.updated'])
  await done(t, 'POST', `/timesheets/${late.id}/review`, { status: 'approved' })
  await at(t, '2026-03-15T23:00:00.000Z')
  const [one, two] = await invoicesOf(t)
  assert.deepEqual(
    one.lines.map(({ source }: Body) => source.id),
    [first.id],
  )
  assert.partialDeepStrictEqual(two, {
    ...{ issue_date: '2026-03-16', period_start: '2026-03-09', total: '330.00' },
    lines: [{ quantity: '7.3333', unit_price: '45.00', amount: '330.00', period_start: '2026-03-05' }],
  })
  const [closed] = await cyclesOf(t, contract)
  const sheet = await done(t, 'GET', `/timesheets/${first.id}`)
  assert.deepEqual([sheet.status, sheet.invoice_id, sheet.payment_cycle_id], ['invoiced', one.id, closed.id])
})

test('P5: a first cycle of one Saturday has no line by working days, and is skipped', async () => {
  const t = await organization()
  const compensation = { amount: '3000.00', currency: 'EUR', frequency: 'monthly', proration: 'working_days' }
  const contract = await signedContract(t, { start_date: '2026-01-31', compensation })
  await at(t, '2026-01-31T23:00:00.000Z')
  const [first] = await cyclesOf(t, contract)
  assert.deepEqual([first.start_date, first.end_date, first.status], ['2026-01-31', '2026-01-31', 'skipped'])
  assert.deepEqual(await invoicesOf(t), [])
})

test('what is approved at the very moment of the close waits for the next one', async () => {
  const t = await organization()
  const contract = await signedContract(t, weekly)
  await at(t, '2026-03-07T00:00:00.000Z')
  const sheet = await work(t, contract, '2026-03-06', '8', { auto_approve: false })
  await t.clock.set('2026-03-08T23:00:00.000Z')
  await done(t, 'POST', `/timesheets/${sheet.id}/review`, { status: 'approved' })
  await t.timers.runDue()
  assert.equal(await statusOf(t, '/timesheets', sheet), 'approved')
  assert.equal((await cyclesOf(t, contract))[0].status, 'skipped')
})

test('a sweep that is late issues the same invoices as one on time, with the same dates (invariant 20)', async () => {
  const play = async (steps: readonly string[]) => {
    const t = await organization()
    const contract = await signedContract(t)
    await at(t, '2026-02-20T09:00:00.000Z')
    await adjust(t, contract, 'other', '50.00', { date: '2026-02-20', is_recurring: true })
    for (const step of [...steps, '2026-04-15T12:00:00.000Z']) await at(t, step)
    const events = (await t.takeEvents()).slice(-12).map(({ event_type }) => event_type)
    const invoices = await invoicesOf(t)
    return invoices.map(({ number, issue_date, due_date, total, is_overdue, lines }) => ({
      ...{ number, issue_date, due_date, total, is_overdue, events: events.toSorted() },
      lines: lines.map(({ type, amount, period_end }: Body) => [type, amount, period_end]),
    }))
  }
  const on_time = ['2026-02-28T23:00:00.000Z', '2026-03-08T23:00:00.000Z', '2026-03-31T22:00:00.000Z']
  assert.deepEqual(await play([]), await play(on_time))
})

test('a recurring adjustment is copied to the end of each next cycle, and not beyond its end', async () => {
  const t = await organization()
  const contract = await signedContract(t)
  await at(t, '2026-02-20T09:00:00.000Z')
  const more = { date: '2026-02-20', is_recurring: true, recurring_until: '2026-03-31' }
  await adjust(t, contract, 'other', '50.00', more)
  await t.takeEvents()
  await at(t, '2026-02-28T23:00:00.000Z')
  assert.deepEqual(
    await types(t),
    [
      'invoice.created',
      'payment-cycle.closed',
      'invoice.created',
      'invoice-adjustment.status.updated',
      'invoice-adjustment.created',
    ].slice(1),
  )
  await at(t, '2026-04-15T12:00:00.000Z')
  const { data } = await done(t, 'GET', '/invoice-adjustments')
  assert.deepEqual(data.map(({ date, status }: Body) => [date, status]).toSorted(), [
    ['2026-02-20', 'invoiced'],
    ['2026-03-31', 'invoiced'],
  ])
})

test('an unpaid invoice is overdue from the day after its due date on, in the zone of its contract', async () => {
  const t = await organization()
  await signedContract(t)
  await at(t, '2026-02-08T22:59:59.999Z')
  const [invoice] = await invoicesOf(t)
  assert.deepEqual([invoice.due_date, invoice.is_overdue], ['2026-02-08', false])
  await t.takeEvents()
  await at(t, '2026-02-08T23:00:00.000Z')
  assert.deepEqual(await types(t), ['invoice.overdue'])
  assert.equal((await done(t, 'GET', '/invoices?is_overdue=true')).total_count, 1)
  const cancelled = await done(t, 'POST', `/invoices/${invoice.id}/cancel`, { reason: 'Wrong VAT.' })
  assert.equal(cancelled.is_overdue, false)
})

test('a cancelled invoice is never overdue', async () => {
  const t = await organization()
  await signedContract(t)
  await at(t, '2026-02-01T09:00:00.000Z')
  const [{ id }] = await invoicesOf(t)
  await done(t, 'POST', `/invoices/${id}/cancel`, { reason: 'Wrong VAT.' })
  await t.takeEvents()
  await at(t, '2026-02-20T09:00:00.000Z')
  assert.deepEqual(await types(t), [])
})

test('the final settlement invoices the approved rest outside the cycles; what is left over is not payable', async () => {
  const t = await organization()
  const contract = await signedContract(t, weekly)
  await at(t, '2026-03-20T18:00:00.000Z')
  const kept = await work(t, contract, '2026-03-20', '4', { auto_approve: false })
  const open = await work(t, contract, '2026-03-19', '2', { auto_approve: false })
  await done(t, 'POST', `/contracts/${contract.id}/terminate`, { type: 'termination' })
  await at(t, '2026-03-23T09:00:00.000Z')
  await done(t, 'POST', `/timesheets/${kept.id}/review`, { status: 'approved' })
  const deduction = await adjust(t, contract, 'deduction', '1000.00', { date: '2026-03-20' })
  await t.takeEvents()
  await at(t, '2026-04-19T21:59:59.999Z')
  assert.deepEqual(await types(t), [])
  await at(t, '2026-04-19T22:00:00.000Z')
  assert.deepEqual(await types(t), [
    'invoice.created',
    'timesheet.status.updated',
    'timesheet.status.updated',
    'invoice-adjustment.status.updated',
  ])
  assert.partialDeepStrictEqual((await invoicesOf(t)).at(-1), {
    ...{ is_off_cycle: true, issue_date: '2026-04-20', due_date: '2026-04-27', total: '180.00' },
  })
  assert.deepEqual(
    [await statusOf(t, '/timesheets', open), await statusOf(t, '/invoice-adjustments', deduction)],
    ['not_payable', 'not_payable'],
  )
})

test('the final settlement of a contract with nothing open does nothing, and employees have none', async () => {
  const t = await organization()
  const employee = await signedContract(t, {
    ...{ type: 'employee', compensation: { amount: '6500.00', currency: 'EUR' }, tax: {}, end_date: '2026-03-02' },
  })
  const contract = await signedContract(t, { ...weekly, end_date: '2026-03-08' })
  await at(t, '2026-05-01T09:00:00.000Z')
  assert.deepEqual(await invoicesOf(t), [])
  const settled = await t.database.database.transaction({ role: 'app', organization_id: t.organization.id }, (tx) =>
    tx.rows<{ subject_id: string }>(sql`
      select subject_id from timers where kind = 'final_settlement' and fired_at is not null
        and subject_id = any (${[employee.id, contract.id]})`),
  )
  assert.deepEqual(settled, [{ subject_id: contract.id }])
})

test('two closes at once never give a number twice, and one that fails leaves no gap (invariant 11)', async () => {
  const t = await organization()
  const contracts = []
  for (let made = 0; made < 4; made += 1) contracts.push(await signedContract(t))
  await at(t, '2026-02-01T09:00:00.000Z')
  const dates = { date: '2026-01-31' }
  const expenses = await Promise.all(contracts.map((of) => adjust(t, of, 'expense', '10.00', dates)))
  const issue = ({ contract_id, id }: Body, status: number) =>
    t
      .call('POST', '/invoices', { body: { contract_id, invoice_adjustment_ids: [id] } })
      .then((answer) => assert.equal(answer.status, status, JSON.stringify(answer.body)))
  await Promise.all(expenses.map((one) => issue(one, 201)))
  await Promise.all(expenses.map((one) => issue(one, 409)))
  const numbers = (await invoicesOf(t)).map(({ number }) => number)
  assert.deepEqual(
    numbers,
    Array.from({ length: 8 }, (_, at_) => `INV-2026-00000${at_ + 1}`),
  )
})

test('workers side by side whose connections are cut in the middle close every cycle once, and in the same way', async () => {
  const t = await organization()
  const contracts: Body[] = []
  for (let made = 0; made < 10; made += 1) contracts.push(await signedContract(t))
  await t.clock.set('2026-03-02T12:00:00.000Z')
  await t.takeEvents()
  const workers = [1, 2].map(() => createTimerJob(t.runtime, timers))
  let is_done = false
  let cuts = 0
  const cut = async () => {
    while (cuts < 6 && !is_done) {
      const pids = await t.database.database.transaction({ role: 'owner' }, (tx) =>
        tx.rows(sql`
          select pg_terminate_backend(pid) from pg_locks
          where locktype = 'advisory' and objsubid = 2 and granted
            and database = (select oid from pg_database where datname = current_database())`),
      )
      cuts += pids.length
    }
  }
  const run = async () => {
    await Promise.all(workers.map(({ runDue }) => runDue()))
    is_done = true
  }
  await Promise.all([cut(), run()])
  assert.ok(cuts > 0, 'nothing was cut')
  // A timer that failed waits for its retry.
  await t.clock.set('2026-03-02T13:00:00.000Z')
  await t.timers.runDue()
  const invoices = await invoicesOf(t)
  assert.deepEqual(
    new Set(invoices.map(({ number }) => number)),
    new Set(Array.from({ length: 20 }, (_, at) => `INV-2026-${String(at + 1).padStart(6, '0')}`)),
  )
  const closes = invoices.map(({ contract_id, issue_date, total }) => `${contract_id} ${issue_date} ${total}`)
  const expected = contracts.flatMap(({ id }) => [`${id} 2026-02-01 2740.84`, `${id} 2026-03-01 4998.00`])
  assert.deepEqual(closes.toSorted(), expected.toSorted())
  const told = await types(t)
  assert.equal(told.filter((type) => type === 'payment-cycle.closed').length, 20)
  assert.equal(told.filter((type) => type === 'invoice.created').length, 20)
  assert.deepEqual(await faultsOfLedger(t), [])
})

test('of two who invoice the same work at once, one does', async () => {
  const t = await organization()
  const contract = await signedContract(t)
  await at(t, '2026-02-01T09:00:00.000Z')
  const { id } = await adjust(t, contract, 'expense', '10.00', { date: '2026-01-31' })
  const body = { contract_id: contract.id, invoice_adjustment_ids: [id] }
  const answers = await Promise.all([1, 2, 3].map(() => t.call('POST', '/invoices', { body })))
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 409, 409])
})

test('the database refuses a second standing line of one source, and a change of what was issued', async () => {
  const t = await organization()
  const contract = await signedContract(t)
  await at(t, '2026-02-01T09:00:00.000Z')
  const { id } = await adjust(t, contract, 'expense', '10.00', { date: '2026-01-31' })
  await done(t, 'POST', '/invoices', { contract_id: contract.id, invoice_adjustment_ids: [id] })
  const run = (statement: ReturnType<typeof sql>) =>
    t.database.database.transaction({ role: 'app', organization_id: t.organization.id }, (tx) => tx.run(statement))
  await assert.rejects(
    run(sql`
      insert into invoice_lines select organization_id, gen_random_uuid(), invoice_id, 2, type, description, quantity,
        unit_price, amount, is_taxable, period_start, period_end, source_kind, source_id, is_standing
      from invoice_lines where source_id = ${id}`),
    /invoice_lines_source/,
  )
  await assert.rejects(run(sql`update invoices set total = 0, subtotal = 0, vat_total = 0`), /permission denied/)
  await assert.rejects(run(sql`update invoice_lines set amount = 1`), /permission denied/)
})

test('the worker sees an invoice as soon as it is issued', async () => {
  const t = await organization()
  const { worker_id } = await signedContract(t)
  const token = await workerLogin(t, worker_id, t.organization.id)
  await at(t, '2026-02-01T09:00:00.000Z')
  const { data } = await done(t, 'GET', '/worker/invoices', undefined, token)
  assert.deepEqual(
    data.map(({ number, total }: Body) => [number, total]),
    [['INV-2026-000001', '2740.84']],
  )
})
