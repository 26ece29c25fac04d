import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { clock_start } from '#test/contract-states.ts'
import { contractBody, createContract, insertNamed } from '#test/factories.ts'
import { startTestService, type TestService } from '#test/service.ts'

let service: TestService
before(async () => {
  service = await startTestService()
  await service.clock.set(clock_start)
})
after(() => service.close())

const create = (overrides: Record<string, unknown> = {}) =>
  service.call('POST', '/contracts', { body: contractBody(service, overrides) })

test('a described worker becomes a person, and both events tell it', async () => {
  await service.takeEvents()
  const body = await createContract(service, { external_id: 'C03' })
  const events = await service.takeEvents()
  assert.deepEqual(
    events.map(({ event_type }) => event_type),
    ['person.created', 'contract.created'],
  )
  const [person, contract] = events.map(({ resource }) => resource[0])
  assert.partialDeepStrictEqual(person, {
    person_id: body.worker_id,
    email: body.worker_email,
    full_name: 'Jonas Weber',
    worker_type: 'contractor',
    status: 'pending',
    access: 'none',
    country: 'DE',
  })
  assert.deepEqual(contract, {
    contract_id: body.id,
    worker_email: body.worker_email,
    status: 'pending',
    created_at: clock_start,
    type: 'fixed_rate',
    country: 'DE',
    title: 'Platform engineering',
    external_id: 'C03',
    worker_id: body.worker_id,
    start_date: '2026-06-15',
    end_date: null,
    last_day: null,
  })
})

test('the answer is the contract as it is read, with its address and every default', async () => {
  const answer = await create()
  assert.equal(answer.status, 201)
  assert.equal(answer.headers.location, `https://stint.test/rest/v2/contracts/${answer.body.id}`)
  assert.deepEqual((await service.call('GET', `/contracts/${answer.body.id}`)).body, answer.body)
  assert.partialDeepStrictEqual(answer.body, {
    status: 'pending',
    legal_entity: { name: 'Harbour Pine' },
    team: null,
    country: 'DE',
    timezone: 'Europe/Berlin',
    notice_period_days: 0,
    compensation: {
      amount: '4200.00',
      scale: 'monthly',
      cycle_end_type: 'day_of_month',
      cycle_end: 31,
      payment_due_days: 7,
      pay_before_weekends: false,
      proration: 'calendar_days',
    },
    tax: { vat_rate: null, reverse_charge: false },
    signatures: { client_name: null, worker_name: null },
    invitation: null,
    termination: null,
    is_archived: false,
    created_by: { kind: 'token' },
  })
})

test('everything that can be given is kept as it was given', async () => {
  const legal_entity_id = await insertNamed(service, 'legal_entities', 'Harbour Pine Inc.')
  const team_id = await insertNamed(service, 'teams', 'Platform')
  const given = {
    title: 'Night shift',
    country: 'US',
    region: 'TX',
    timezone: 'America/Chicago',
    start_date: '2026-07-01',
    end_date: '2026-12-31',
    job_title: 'Engineer',
    seniority: 'senior',
    scope_of_work: 'Keep it running.\nAlways.',
    special_clause: '',
    notice_period_days: 30,
    external_id: 'night-1',
    custom_fields: {},
  }
  const compensation = {
    amount: '60.00',
    currency: 'USD',
    scale: 'daily',
    frequency: 'biweekly',
    cycle_end_type: 'day_of_week',
    cycle_end: 5,
    first_cycle_end: '2026-07-10',
    payment_due_days: 0,
    pay_before_weekends: true,
    proration: 'working_days',
  }
  const tax = { vat_rate: '9.9750', reverse_charge: true }
  const { body } = await create({ type: 'pay_as_you_go', ...given, legal_entity_id, team_id, compensation, tax })
  assert.partialDeepStrictEqual(body, {
    type: 'pay_as_you_go',
    ...given,
    last_day: '2026-12-31',
    compensation,
    tax: { vat_rate: '9.975', reverse_charge: true },
    legal_entity: { id: legal_entity_id, name: 'Harbour Pine Inc.' },
    team: { id: team_id, name: 'Platform' },
  })
  assert.deepEqual((await service.call('GET', `/contracts/${body.id}`)).body, body)
})

for (const [type, compensation, shown] of [
  ['milestone', { currency: 'JPY', frequency: 'monthly' }, { amount: null, scale: null }],
  ['employee', { currency: 'KWD', amount: '950.5' }, { amount: '950.500', scale: 'monthly', frequency: null }],
  ['pay_as_you_go', { currency: 'CLP', amount: '48000', frequency: 'weekly' }, { amount: '48000', scale: 'hourly' }],
] as const) {
  test(`a contract of type ${type} has the compensation of its type`, async () => {
    const { body } = await create({ type, compensation })
    assert.partialDeepStrictEqual(body.compensation, shown)
    const person = (await service.call('GET', `/people/${body.worker_id}`)).body
    assert.equal(person.worker_type, type === 'employee' ? 'employee' : 'contractor')
  })
}

test('a person named by id, or described by a known e-mail in any case, is that person unchanged', async () => {
  const first = await createContract(service)
  await service.takeEvents()
  const byId = await createContract(service, { worker_id: first.worker_id })
  const described = {
    first_name: 'Somebody',
    last_name: 'Else',
    email: first.worker_email.toUpperCase(),
    country: 'FR',
  }
  const byEmail = await createContract(service, { worker: described })
  for (const { worker_id, worker_name, worker_email, country } of [byId, byEmail]) {
    assert.equal(worker_id, first.worker_id)
    assert.deepEqual(
      { worker_name, worker_email, country },
      {
        worker_name: 'Jonas Weber',
        worker_email: first.worker_email,
        country: 'DE',
      },
    )
  }
  assert.deepEqual(
    (await service.takeEvents()).map(({ event_type }) => event_type),
    ['contract.created', 'contract.created'],
  )
})

test('a contract for a person without an open one changes the status of the person', async () => {
  const { id, worker_id } = await createContract(service)
  await service.call('POST', `/contracts/${id}/cancel`)
  assert.equal((await service.call('GET', `/people/${worker_id}`)).body.status, 'inactive')
  await service.takeEvents()
  await createContract(service, { worker_id })
  const events = await service.takeEvents()
  assert.deepEqual(
    events.map(({ event_type }) => event_type),
    ['contract.created', 'person.updated'],
  )
  assert.partialDeepStrictEqual(events[1]?.resource[0], { status: 'pending', changed_fields: ['status'] })
})

test('one new e-mail described twice at once makes one person', async () => {
  const worker = { first_name: 'Kira', last_name: 'Patel', email: 'kira@harbour.example', country: 'IN' }
  await service.takeEvents()
  const answers = await Promise.all([1, 2, 3].map(() => create({ worker })))
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 201, 201],
  )
  assert.equal(new Set(answers.map(({ body }) => body.worker_id)).size, 1)
  const types = (await service.takeEvents()).map(({ event_type }) => event_type)
  assert.deepEqual(
    types.filter((type) => type !== 'contract.created'),
    ['person.created'],
  )
})

const unknown = '019b8d2b-8c00-7a10-8c02-61f0d4b7a9e3'
const worker = { first_name: 'A', last_name: 'B', email: 'a.b@harbour.example', country: 'DE' }
const pay = { currency: 'EUR', amount: '10.00', frequency: 'monthly' }

for (const [words, overrides, code, pointer] of [
  ['neither worker nor worker_id', { worker: undefined }, 'validation_failed', '/worker_id'],
  ['both worker and worker_id', { worker_id: unknown, worker }, 'validation_failed', '/worker_id'],
  ['an unknown field', { legal_entity: 'x' }, 'validation_failed', '/legal_entity'],
  ['a custom field that is not defined', { custom_fields: { a: 1 } }, 'validation_failed', '/custom_fields/a'],
  ['no title', { title: '  ' }, 'validation_failed', '/title'],
  ['a country that is none', { country: 'XX' }, 'validation_failed', '/country'],
  ['an offset as time zone', { timezone: '+01:00' }, 'validation_failed', '/timezone'],
  [
    'a currency that is none',
    { compensation: { ...pay, currency: 'MGA' } },
    'validation_failed',
    '/compensation/currency',
  ],
  ['a number as amount', { compensation: { ...pay, amount: 10.5 } }, 'validation_failed', '/compensation/amount'],
  ['zero as amount', { compensation: { ...pay, amount: '0.00' } }, 'validation_failed', '/compensation/amount'],
  ['a VAT rate above 100', { tax: { vat_rate: '100.01' } }, 'validation_failed', '/tax/vat_rate'],
  ['a date that is none', { start_date: '2026-02-30' }, 'validation_failed', '/start_date'],
  [
    'X1: three decimals of EUR',
    { compensation: { ...pay, amount: '10.005' } },
    'amount_precision',
    '/compensation/amount',
  ],
  [
    'X1: decimals of JPY',
    { compensation: { ...pay, currency: 'JPY', amount: '1.0' } },
    'amount_precision',
    '/compensation/amount',
  ],
  ['no amount', { compensation: { currency: 'EUR', frequency: 'monthly' } }, 'invalid_terms', '/compensation/amount'],
  ['no frequency', { compensation: { currency: 'EUR', amount: '1.00' } }, 'invalid_terms', '/compensation/frequency'],
  [
    'an amount on a milestone contract',
    { type: 'milestone', compensation: pay },
    'invalid_terms',
    '/compensation/amount',
  ],
  [
    'cycles on an employee contract',
    { type: 'employee', compensation: pay },
    'invalid_terms',
    '/compensation/frequency',
  ],
  ['an end before the start', { end_date: '2026-06-14' }, 'date_out_of_range', '/end_date'],
  ['a start 367 days ago', { start_date: '2025-06-13' }, 'date_out_of_range', '/start_date'],
  ['a start 732 days ahead', { start_date: '2028-06-16' }, 'date_out_of_range', '/start_date'],
  ['an unknown worker', { worker_id: unknown }, 'reference_not_found', '/worker_id'],
  ['an unknown legal entity', { legal_entity_id: unknown }, 'reference_not_found', '/legal_entity_id'],
  ['an unknown team', { team_id: unknown }, 'reference_not_found', '/team_id'],
] as const) {
  test(`${words} is refused with ${code}`, async () => {
    await service.takeEvents()
    const { status, body } = await create(overrides)
    assert.equal(status, code === 'validation_failed' ? 400 : 422, JSON.stringify(body))
    assert.equal(body.code, code)
    assert.deepEqual(
      body.errors.map((error: { pointer: string }) => error.pointer),
      [pointer],
    )
    assert.deepEqual(await service.takeEvents(), [])
  })
}

for (const start_date of ['2025-06-14', '2028-06-15']) {
  test(`a start on the edge of what is possible, ${start_date}, is accepted`, async () => {
    assert.equal((await create({ start_date })).status, 201)
  })
}

test('the day of a start is judged in the time zone of the contract', async () => {
  // 09:00 in London is still 14 June on Midway, 23:00 before.
  const far = { timezone: 'Pacific/Midway', start_date: '2028-06-15' }
  assert.equal((await create(far)).body.code, 'date_out_of_range')
})

test('several mistakes in the terms are told at once', async () => {
  const compensation = { currency: 'EUR', amount: '1.005', frequency: 'weekly', cycle_end: 9 }
  const { body } = await create({ compensation })
  assert.equal(body.code, 'invalid_terms')
  assert.deepEqual(body.errors.map((error: { pointer: string }) => error.pointer).sort(), [
    '/compensation/amount',
    '/compensation/cycle_end',
  ])
})

test('an external_id that another contract or person has is refused and leaves nothing behind', async () => {
  await createContract(service, { external_id: 'twice', worker: { ...worker, external_id: 'person-twice' } })
  const people = async () => (await service.call('GET', '/people')).body.total_count
  const before = await people()
  const contract = await create({ external_id: 'twice' })
  assert.deepEqual([contract.status, contract.body.code], [409, 'external_id_in_use'])
  assert.equal(contract.body.errors[0].pointer, '/external_id')
  const person = await create({ worker: { ...worker, email: 'c@harbour.example', external_id: 'person-twice' } })
  assert.deepEqual([person.status, person.body.code], [409, 'external_id_in_use'])
  assert.equal(await people(), before)
  const other = await service.createOrganization()
  await createContract(service, { external_id: 'twice' }, other)
})

test('rows of another organization cannot be named', async () => {
  const other = await service.createOrganization()
  const { worker_id, legal_entity } = await createContract(service, {}, other)
  const team_id = await insertNamed(service, 'teams', 'Theirs', other.id)
  for (const overrides of [{ worker_id }, { legal_entity_id: legal_entity.id }, { team_id }]) {
    const { status, body } = await create(overrides)
    assert.deepEqual([status, body.code], [422, 'reference_not_found'])
  }
})

test('what cannot be derived from the person has to be sent', async () => {
  const { worker_id } = await createContract(service)
  const update = (assignment: ReturnType<typeof sql>) =>
    service.database.database.transaction({ role: 'app', organization_id: service.organization.id }, (tx) =>
      tx.run(
        sql`update people set ${assignment} where organization_id = ${service.organization.id} and id = ${worker_id}`,
      ),
    )
  await update(sql`country = null`)
  const { status, body } = await create({ worker_id })
  assert.deepEqual([status, body.code, body.errors[0].pointer], [422, 'missing_value', '/country'])
  assert.equal((await create({ worker_id, country: 'FR' })).body.country, 'FR')
  await update(sql`email = null`)
  const refused = await create({ worker_id, country: 'FR' })
  assert.deepEqual([refused.body.code, refused.body.errors[0].pointer], ['missing_value', '/worker_id'])
})

test('an amount is withheld from a caller without compensation, also from its writer', async () => {
  const token = await service.createToken(service.organization.id, { scopes: ['contracts:write'], sensitive_data: [] })
  const { status, body, headers } = await service.call('POST', '/contracts', { token, body: contractBody(service) })
  assert.equal(status, 201)
  assert.equal(body.compensation.amount, null)
  assert.equal(headers['sensitive-data-withheld'], 'compensation')
})
