import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#db/database.ts'
import { type Case, cases, serviceOfCases } from '#test/cases.ts'
import { clock_start } from '#test/contract-states.ts'
import { type Body, contractBody, createContract, insertNamed } from '#test/factories.ts'
import type { TestService } from '#test/service.ts'

const contract =
  (overrides: Record<string, unknown> = {}) =>
  (_given: Body, t: TestService) =>
    contractBody(t, overrides)

const unknown = '019b8d2b-8c00-7a10-8c02-61f0d4b7a9e3'
const worker = { first_name: 'A', last_name: 'B', email: 'a.b@harbour.example', country: 'DE' }
const pay = { currency: 'EUR', amount: '10.00', frequency: 'monthly' }
const with_new_person = ['person.created', 'contract.created']

const refused = (
  overrides: Record<string, unknown>,
  answers: NonNullable<Case['answers']>,
  ...errors: string[]
): Case => ({ input: contract(overrides), answers, errors })
const invalid = (overrides: Record<string, unknown>, at: string) => refused(overrides, '400 validation_failed', at)

const given_whole = {
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
  compensation: {
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
  },
}

/** A person whose columns were set past the API. */
async function personWith(t: TestService, assignment: ReturnType<typeof sql>): Promise<Body> {
  const { worker_id } = await createContract(t)
  const organization_id = t.organization.id
  await t.database.database.transaction({ role: 'app', organization_id }, (tx) =>
    tx.run(sql`update people set ${assignment} where organization_id = ${organization_id} and id = ${worker_id}`),
  )
  return { worker_id }
}

const typeCase = (type: string, compensation: object, shown: object): Case => ({
  input: contract({ type, compensation }),
  body: { compensation: shown },
  emits: with_new_person,
  afterwards: async (t, { body }) => {
    const person = (await t.call('GET', `/people/${body.worker_id}`)).body
    assert.equal(person.worker_type, type === 'employee' ? 'employee' : 'contractor')
  },
})

cases('contracts.create', {
  'a described worker becomes a person, and both events tell it': {
    input: contract({ external_id: 'C03' }),
    emits: (_, body) => [
      [
        'person.created',
        {
          person_id: body.worker_id,
          email: body.worker_email,
          full_name: 'Jonas Weber',
          worker_type: 'contractor',
          status: 'pending',
          access: 'none',
          country: 'DE',
        },
      ],
      [
        'contract.created',
        {
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
        },
      ],
    ],
    audit: (_, { id }) => ({ subject_kind: 'contracts', subject_id: id }),
  },
  'the answer is the contract as it is read, with its address and every default': {
    input: contract(),
    answers: 201,
    headers: (_, { id }) => ({ location: `https://stint.test/rest/v2/contracts/${id}` }),
    body: {
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
    },
    emits: with_new_person,
    afterwards: async (t, { body }) => assert.deepEqual((await t.call('GET', `/contracts/${body.id}`)).body, body),
  },
  'everything that can be given is kept as it was given': {
    given: async (t) => ({
      legal_entity_id: await insertNamed(t, 'legal_entities', 'Harbour Pine Inc.'),
      team_id: await insertNamed(t, 'teams', 'Platform'),
    }),
    input: (given, t) =>
      contractBody(t, {
        type: 'pay_as_you_go',
        ...given_whole,
        ...given,
        tax: { vat_rate: '9.9750', reverse_charge: true },
      }),
    body: ({ legal_entity_id, team_id }) => ({
      type: 'pay_as_you_go',
      ...given_whole,
      last_day: '2026-12-31',
      tax: { vat_rate: '9.975', reverse_charge: true },
      legal_entity: { id: legal_entity_id, name: 'Harbour Pine Inc.' },
      team: { id: team_id, name: 'Platform' },
    }),
    emits: with_new_person,
    afterwards: async (t, { body }) => assert.deepEqual((await t.call('GET', `/contracts/${body.id}`)).body, body),
  },
  'a contract of type milestone has the compensation of its type': typeCase(
    'milestone',
    { currency: 'JPY', frequency: 'monthly' },
    { amount: null, scale: null },
  ),
  'a contract of type employee has the compensation of its type': typeCase(
    'employee',
    { currency: 'KWD', amount: '950.5' },
    { amount: '950.500', scale: 'monthly', frequency: null },
  ),
  'a contract of type pay_as_you_go has the compensation of its type': typeCase(
    'pay_as_you_go',
    { currency: 'CLP', amount: '48000', frequency: 'weekly' },
    { amount: '48000', scale: 'hourly' },
  ),

  'a person named by id is that person unchanged': {
    given: (t) => createContract(t),
    input: ({ worker_id }, t) => contractBody(t, { worker_id }),
    body: ({ worker_id, worker_email }) => ({ worker_id, worker_email, worker_name: 'Jonas Weber', country: 'DE' }),
    emits: ['contract.created'],
  },
  'a person described by a known e-mail in any case is that person unchanged': {
    given: (t) => createContract(t),
    input: ({ worker_email }, t) =>
      contractBody(t, {
        worker: { first_name: 'Somebody', last_name: 'Else', email: worker_email.toUpperCase(), country: 'FR' },
      }),
    body: ({ worker_id, worker_email }) => ({ worker_id, worker_email, worker_name: 'Jonas Weber', country: 'DE' }),
    emits: ['contract.created'],
  },
  'a contract for a person without an open one changes the status of the person': {
    given: async (t) => {
      const { id, worker_id } = await createContract(t)
      await t.call('POST', `/contracts/${id}/cancel`)
      assert.equal((await t.call('GET', `/people/${worker_id}`)).body.status, 'inactive')
      return { worker_id }
    },
    input: ({ worker_id }, t) => contractBody(t, { worker_id }),
    emits: ['contract.created', ['person.updated', { status: 'pending', changed_fields: ['status'] }]],
  },

  'neither worker nor worker_id is refused': invalid({ worker: undefined }, '/worker_id'),
  'both worker and worker_id are refused': invalid({ worker_id: unknown, worker }, '/worker_id'),
  'an unknown field is refused': invalid({ legal_entity: 'x' }, '/legal_entity'),
  'a custom field that is not defined is refused': invalid({ custom_fields: { a: 1 } }, '/custom_fields/a'),
  'no title is refused': invalid({ title: '  ' }, '/title'),
  'a country that is none is refused': invalid({ country: 'XX' }, '/country'),
  'an offset as time zone is refused': invalid({ timezone: '+01:00' }, '/timezone'),
  'a currency that is none is refused': invalid(
    { compensation: { ...pay, currency: 'MGA' } },
    '/compensation/currency',
  ),
  'a number as amount is refused': invalid({ compensation: { ...pay, amount: 10.5 } }, '/compensation/amount'),
  'zero as amount is refused': invalid({ compensation: { ...pay, amount: '0.00' } }, '/compensation/amount'),
  'a VAT rate above 100 is refused': invalid({ tax: { vat_rate: '100.01' } }, '/tax/vat_rate'),
  'a date that is none is refused': invalid({ start_date: '2026-02-30' }, '/start_date'),

  'X1: three decimals of EUR are refused': refused(
    { compensation: { ...pay, amount: '10.005' } },
    '422 amount_precision',
    '/compensation/amount',
  ),
  'X1: decimals of JPY are refused': refused(
    { compensation: { ...pay, currency: 'JPY', amount: '1.0' } },
    '422 amount_precision',
    '/compensation/amount',
  ),
  'no amount is refused': refused(
    { compensation: { currency: 'EUR', frequency: 'monthly' } },
    '422 invalid_terms',
    '/compensation/amount',
  ),
  'no frequency is refused': refused(
    { compensation: { currency: 'EUR', amount: '1.00' } },
    '422 invalid_terms',
    '/compensation/frequency',
  ),
  'an amount on a milestone contract is refused': refused(
    { type: 'milestone', compensation: pay },
    '422 invalid_terms',
    '/compensation/amount',
  ),
  'cycles on an employee contract are refused': refused(
    { type: 'employee', compensation: pay },
    '422 invalid_terms',
    '/compensation/frequency',
  ),
  'several mistakes in the terms are told at once': refused(
    { compensation: { currency: 'EUR', amount: '1.005', frequency: 'weekly', cycle_end: 9 } },
    '422 invalid_terms',
    '/compensation/cycle_end',
    '/compensation/amount',
  ),

  'an end before the start is refused': refused({ end_date: '2026-06-14' }, '422 date_out_of_range', '/end_date'),
  'a start 367 days ago is refused': refused({ start_date: '2025-06-13' }, '422 date_out_of_range', '/start_date'),
  'a start 732 days ahead is refused': refused({ start_date: '2028-06-16' }, '422 date_out_of_range', '/start_date'),
  'a start 366 days ago is accepted': { input: contract({ start_date: '2025-06-14' }), emits: with_new_person },
  'a start 731 days ahead is accepted': { input: contract({ start_date: '2028-06-15' }), emits: with_new_person },
  // 09:00 in London is still 14 June on Midway, 23:00 before.
  'the day of a start is judged in the time zone of the contract': refused(
    { timezone: 'Pacific/Midway', start_date: '2028-06-15' },
    '422 date_out_of_range',
    '/start_date',
  ),

  'an unknown worker is refused': refused({ worker_id: unknown }, '422 reference_not_found', '/worker_id'),
  'an unknown legal entity is refused': refused(
    { legal_entity_id: unknown },
    '422 reference_not_found',
    '/legal_entity_id',
  ),
  'an unknown team is refused': refused({ team_id: unknown }, '422 reference_not_found', '/team_id'),
  'a worker of another organization cannot be named': {
    given: async (t) => createContract(t, {}, await t.createOrganization()),
    input: ({ worker_id }, t) => contractBody(t, { worker_id }),
    answers: '422 reference_not_found',
  },
  'a legal entity of another organization cannot be named': {
    given: async (t) => createContract(t, {}, await t.createOrganization()),
    input: ({ legal_entity }, t) => contractBody(t, { legal_entity_id: legal_entity.id }),
    answers: '422 reference_not_found',
  },
  'a team of another organization cannot be named': {
    given: async (t) => ({ team_id: await insertNamed(t, 'teams', 'Theirs', (await t.createOrganization()).id) }),
    input: ({ team_id }, t) => contractBody(t, { team_id }),
    answers: '422 reference_not_found',
  },

  'a country that cannot be derived from the person has to be sent': {
    given: (t) => personWith(t, sql`country = null`),
    input: ({ worker_id }, t) => contractBody(t, { worker_id }),
    answers: '422 missing_value',
    errors: ['/country'],
  },
  'a country that cannot be derived is the one that is sent': {
    given: (t) => personWith(t, sql`country = null`),
    input: ({ worker_id }, t) => contractBody(t, { worker_id, country: 'FR' }),
    body: { country: 'FR' },
    emits: ['contract.created'],
  },
  'a person without an e-mail cannot have a contract': {
    given: (t) => personWith(t, sql`email = null`),
    input: ({ worker_id }, t) => contractBody(t, { worker_id }),
    answers: '422 missing_value',
    errors: ['/worker_id'],
  },

  'an external_id that another contract has is refused and leaves nothing behind': {
    given: (t) => createContract(t, { external_id: 'twice' }),
    input: contract({ external_id: 'twice' }),
    answers: '409 external_id_in_use',
    errors: ['/external_id'],
    afterwards: async (t) => assert.equal((await t.call('GET', '/people')).body.total_count, 1),
  },
  'an external_id that another person has is refused and leaves nothing behind': {
    given: (t) => createContract(t, { worker: { ...worker, external_id: 'twice' } }),
    input: contract({ worker: { ...worker, email: 'c@harbour.example', external_id: 'twice' } }),
    answers: '409 external_id_in_use',
    afterwards: async (t) => assert.equal((await t.call('GET', '/people')).body.total_count, 1),
  },
  'an external_id of another organization is free here': {
    given: async (t) => createContract(t, { external_id: 'twice' }, await t.createOrganization()),
    input: contract({ external_id: 'twice' }),
    emits: with_new_person,
  },

  'an amount is withheld from a caller without compensation, also from its writer': {
    as: 'client without compensation',
    input: contract(),
    body: { compensation: { amount: null } },
    headers: { 'sensitive-data-withheld': 'compensation' },
    emits: with_new_person,
  },
})

test('one new e-mail described twice at once makes one person', async () => {
  const service = await serviceOfCases()
  const described = { first_name: 'Kira', last_name: 'Patel', email: 'kira@harbour.example', country: 'IN' }
  await service.takeEvents()
  const create = () => service.call('POST', '/contracts', { body: contractBody(service, { worker: described }) })
  const answers = await Promise.all([create(), create(), create()])
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
