import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Operation } from '#core/operation.ts'
import { activeContract, createContract, createPerson } from '#test/factories.ts'
import type { TestAnswer } from '#test/service.ts'
import { done, personAndPolicy, requestTimeOff, week } from '#test/time-off.ts'
import { createSequencer } from '#webhooks/feed/sequencer.ts'
import { contractService } from './derived/contract-service.ts'
import {
  everyOperation,
  holdsFor,
  isRepeatable,
  isWorkers,
  plain,
  registered,
  type Schema,
} from './derived/every-operation.ts'
import { realPath } from './derived/rows.ts'

/**
 * No answer tells what a category withholds. Whoever may not see a value writes guesses at it: the right one and a wrong
 * one, each to a row of its own that holds the same value. All that this caller can see must be the same for both.
 */

const { service, ours } = await contractService()
const sequencer = createSequencer(service.database.database, service.runtime.log)
const blind = await service.createToken(ours.id, { sensitive_data: [], is_sandbox: true })
before(async () => {
  const { person_id, policy_id } = await personAndPolicy(service, { annual_allowance_days: null }, ours.token)
  Object.assign(asked, { person_id, policy_id })
  adjustment.contract_id = (await activeContract(service, {}, ours)).id
})

type Fields = Record<string, unknown>
type Place = string[]

/** Sensitive fields that an input takes: those that stand at the same place in the answer. */
function sensitiveInputs(input: Schema, output: Schema, at: Place = []): Place[] {
  const shown = objectOf(output).properties as Record<string, Schema> | undefined
  return Object.entries((objectOf(input).properties ?? {}) as Record<string, Schema>).flatMap(([name, schema]) => {
    const same = shown?.[name]
    if (!same) return []
    return 'x-sensitive' in same ? [[...at, name]] : sensitiveInputs(schema, same, [...at, name])
  })
}

function objectOf(schema: Schema): Schema {
  const branches = (schema.anyOf ?? [schema]) as Schema[]
  return branches.find(({ properties }) => properties !== undefined) ?? schema
}

const placesOf = (operation: Operation) => sensitiveInputs(plain(operation.input), plain(operation.output))
const writers = everyOperation.filter((operation) => isRepeatable(operation) && !isWorkers(operation))
const guessable = writers.filter((operation) => placesOf(operation).length > 0)

/** The value of a row, a guess that misses, and fields beside it that change the row and that leave it as it is. */
interface Guess {
  stored: unknown
  missed: unknown
  beside: Fields[]
  row(): Promise<string>
}

const drafted = {
  type: 'fixed_rate',
  title: 'Platform engineering',
  worker: { first_name: 'Jonas', last_name: 'Weber', email: 'guess@harbour.example', country: 'DE' },
  start_date: '2026-03-16',
  compensation: { amount: '4200.00', currency: 'EUR', frequency: 'monthly' },
}

/** A request for the same days of the same person each time, who has them free again before. */
const asked: Record<string, string> = { ...week }

/** The path of a request of our organization. */
async function timeOffWith(fields: Fields): Promise<string> {
  return `/time-offs/${(await requestTimeOff(service, fields, ours.token)).id}`
}

const american = { name: 'Harbour Pine Inc.', country: 'US' }
const account = (account_number: string) => ({
  ...{ holder_name: 'Harbour Pine', country: 'US', currency: 'USD', account_number },
})

const address = { line_1: 'Uferstraße 8', city: 'Berlin', country: 'DE' }
const passport = { type: 'passport', country: 'DE', number: 'L01X00T47' }

/** Sensitive fields of a person: the value of a row, and another. */
const ofPeople: Record<string, [unknown, unknown]> = {
  personal_email: ['ada@home.example', 'eva@home.example'],
  phone: ['+49301234567', '+49301234568'],
  home_address: [address, { ...address, city: 'Bonn' }],
  emergency_contact: [
    { name: 'Lena Weber', phone: '+49305550101' },
    { name: 'Lena Weber', phone: '+49305550102' },
  ],
  date_of_birth: ['1990-02-28', '1990-03-01'],
  nationality: ['DE', 'SE'],
  government_ids: [[passport], [{ ...passport, number: 'L01X00T48' }]],
  vat_id: ['DE129273398', 'DE129273399'],
}

const guessesOfPeople = Object.entries(ofPeople).flatMap(([field, [stored, missed]]): [string, Guess][] => [
  [
    `people.update ${field}`,
    {
      ...{ stored, missed, beside: [{}, { job_title: 'Lead' }, { first_name: 'Ada' }] },
      row: async () => `/people/${(await createPerson(service, { [field]: stored }, ours)).id}`,
    },
  ],
  [
    `people.create ${field}`,
    {
      ...{ stored, missed, beside: [{ first_name: 'Ada', last_name: 'Lindqvist', email: 'guessed@harbour.example' }] },
      row: async () => {
        await forget('guessed@harbour.example')
        return '/people'
      },
    },
  ],
])

/** Frees the e-mail address that both guesses are made with. */
async function forget(email: string): Promise<void> {
  const { body } = await service.call('GET', '/people', { token: ours.token, query: { email } })
  for (const { id } of body.data) await service.call('DELETE', `/people/${id}`, { token: ours.token })
}
/** Its contract is made before all tests. */
const adjustment = { contract_id: '', type: 'bonus', description: 'Thanks', auto_approve: false }

/** For each writing operation and sensitive field. One that stands not here fails, asking for a line. */
const guesses: Record<string, Guess> = {
  ...Object.fromEntries(guessesOfPeople),
  'contracts.update compensation.amount': {
    stored: '4200.00',
    missed: '4300.00',
    beside: [{}, { title: 'Another title' }, { job_title: 'Lead' }, { title: 'Platform engineering' }],
    row: async () => `/contracts/${(await createContract(service, {}, ours)).id}`,
  },
  'amendments.create terms.amount': {
    stored: '4200.00',
    missed: '4300.00',
    beside: [{}, { reason: 'A good year' }, { terms: { job_title: 'Lead' } }, { terms: { notice_period_days: 0 } }],
    row: async () => `/contracts/${(await activeContract(service, {}, ours)).id}/amendments`,
  },
  'amendments.update terms.amount': {
    stored: '5000.00',
    missed: '5100.00',
    beside: [{}, { reason: 'A good year' }, { terms: { job_title: 'Lead' } }, { terms: { job_title: 'Head' } }],
    row: async () => {
      const path = `/contracts/${(await activeContract(service, {}, ours)).id}/amendments`
      const body = { terms: { amount: '5000.00', job_title: 'Lead' } }
      return `${path}/${(await service.call('POST', path, { token: ours.token, body })).body.id}`
    },
  },
  'time_offs.create reason': {
    stored: 'Flu',
    missed: 'Cold',
    beside: [asked],
    async row() {
      const query = { person_id: asked.person_id ?? '', statuses: 'requested' }
      const { body } = await service.call('GET', '/time-offs', { token: ours.token, query })
      for (const { id } of body.data) await done(service, `/time-offs/${id}/cancel`, {}, ours.token)
      return '/time-offs'
    },
  },
  'time_offs.update reason': {
    stored: 'Flu',
    missed: 'Cold',
    beside: [{}, { external_id: null }, { start_date: '2026-08-03' }],
    row: () => timeOffWith({ reason: 'Flu' }),
  },
  'time_offs.review reason': {
    stored: 'Flu',
    missed: 'Cold',
    beside: [{ status: 'rejected' }, { status: 'approved' }],
    row: async () => `${await timeOffWith({ reason: 'Flu' })}/review`,
  },
  'time_offs.cancel reason': {
    stored: 'Flu',
    missed: 'Cold',
    beside: [{}],
    row: async () => `${await timeOffWith({ reason: 'Flu' })}/cancel`,
  },
  'invoice_adjustments.update amount': {
    stored: '500.00',
    missed: '600.00',
    beside: [{}, { description: 'Well done' }, { description: 'Thanks' }],
    row: async () => {
      const body = { ...adjustment, amount: '500.00' }
      const { id } = (await service.call('POST', '/invoice-adjustments', { token: ours.token, body })).body
      return `/invoice-adjustments/${id}`
    },
  },
  // The stored fee is the one before the settlement.
  'payments.settle fee': {
    stored: '0.00',
    missed: '4.50',
    beside: [{}],
    row: async () => `${await realPath(service, ours, { path: '/payments/:payment_id' })}/settle`,
  },
  'invoice_adjustments.create amount': {
    stored: '500.00',
    missed: '600.00',
    beside: [adjustment],
    row: async () => '/invoice-adjustments',
  },
  // A new contract is compared with nothing, whoever is its worker.
  'contracts.create compensation.amount': {
    stored: '4200.00',
    missed: '4300.00',
    beside: [drafted],
    row: async () => {
      await service.call('POST', '/contracts', { token: ours.token, body: drafted })
      return '/contracts'
    },
  },
  // Writing an account needs the category, so that a blind caller is refused before anything is compared.
  'legal_entities.create bank_account': {
    stored: account('1'),
    missed: account('2'),
    beside: [american],
    row: async () => '/legal-entities',
  },
  'legal_entities.update bank_account': {
    stored: account('1'),
    missed: account('2'),
    beside: [{}, { name: 'Another name' }],
    row: async () => {
      const body = { ...american, bank_account: account('1') }
      return `/legal-entities/${(await service.call('POST', '/legal-entities', { token: ours.token, body })).body.id}`
    },
  },
}

function withValue(fields: Fields, [name = '', ...rest]: Place, value: unknown): Fields {
  const inner = rest.length === 0 ? value : withValue((fields[name] ?? {}) as Fields, rest, value)
  return { ...fields, [name]: inner }
}

/** Two rows made one after the other differ in ids, times and versions; everything else is compared. */
function comparable(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'id')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
    .replaceAll(/(worker|person)-\d+@/g, '$1@')
    .replaceAll(/(INV|PAY)-\d{4}-\d{6}/g, '$1')
    .replaceAll(/"(cursor|total_count)":("[^"]*"|\d+)/g, '"$1":0')
  return JSON.parse(text)
}

const told = ['sensitive-data-withheld', 'idempotent-replayed', 'location', 'content-type'] as const

function shownOf({ status, body, headers }: TestAnswer) {
  return comparable({ status, body, headers: told.map((name) => headers[name] ?? null) })
}

let position: string | undefined

/** The events that a blind caller is told since the last look. */
async function newEvents(): Promise<unknown[]> {
  await sequencer.runDue()
  const events: unknown[] = []
  for (let has_more = true; has_more; ) {
    const query = { limit: 100, ...(position && { cursor: position }) }
    const { status, body } = await service.call('GET', '/events', { token: blind, query })
    assert.equal(status, 200, JSON.stringify(body))
    events.push(...body.data)
    position = body.cursor ?? position
    has_more = body.has_more
  }
  return events
}

/** Collects the view of a blind caller of one write: its answer, the row before and after, events, and repeats. */
async function seen(operation: Operation, { row }: Guess, body: Fields): Promise<unknown> {
  const { method } = operation
  const path = await row()
  const read = () => service.call('GET', path, { token: blind })
  await newEvents()
  const earlier = method === 'PATCH' ? await read() : null
  const headers = { 'idempotency-key': crypto.randomUUID() }
  await service.clock.advance(1_000)
  const answer = await service.call(method, path, { token: blind, body, headers })
  const repeated = await service.call(method, path, { token: blind, body, headers })
  const later = method === 'PATCH' ? await read() : null
  return comparable({
    answer: shownOf(answer),
    repeated: shownOf(repeated),
    moved: earlier &&
      later && [
        earlier.headers.etag === later.headers.etag,
        earlier.body.updated_at === later.body.updated_at,
        later.body.terms_version - earlier.body.terms_version,
      ],
    later: later && shownOf(later),
    events: await newEvents(),
  })
}

test('a guess at a withheld value gets the same answer whether it is right or wrong, wherever it is written', () =>
  holdsFor(guessable, async (operation) => {
    for (const place of placesOf(operation)) {
      const name = `${operation.id} ${place.join('.')}`
      const guess = guesses[name]
      assert.ok(guess, `say in guesses what "${name}" is compared with`)
      for (const beside of guess.beside) {
        const right = await seen(operation, guess, withValue(beside, place, guess.stored))
        const wrong = await seen(operation, guess, withValue(beside, place, guess.missed))
        assert.deepEqual(right, wrong, JSON.stringify(beside))
      }
    }
  }))

test('who may see the value is told that it is no change', async () => {
  const { id } = await createContract(service, {}, ours)
  const path = `/contracts/${id}`
  const body = { compensation: { amount: '4200.00' } }
  const before = await service.call('GET', path, { token: ours.token })
  const answer = await service.call('PATCH', path, { token: ours.token, body })
  assert.equal(answer.headers.etag, before.headers.etag)
  const active = await activeContract(service, {}, ours)
  const draft = { terms: { amount: '4200.00' } }
  const drafts = `/contracts/${active.id}/amendments`
  const { body: seeing } = await service.call('POST', drafts, { token: ours.token, body: draft })
  assert.equal(seeing.code, 'nothing_to_change')
  const { body: unseeing } = await service.call('POST', drafts, { token: blind, body: draft })
  assert.equal(unseeing.code, 'sensitive_data_required')
})

test('a repeat of a call of another credential tells a blind one nothing of what that one wrote', () =>
  holdsFor(guessable, async (operation) => {
    for (const place of placesOf(operation)) {
      const guess = guesses[`${operation.id} ${place.join('.')}`]
      assert.ok(guess)
      const beside = guess.beside.at(-1) ?? {}
      const path = await guess.row()
      const headers = { 'idempotency-key': crypto.randomUUID() }
      const call = (token: string, value: unknown) =>
        service.call(operation.method, path, { token, headers, body: withValue(beside, place, value) })
      assert.ok((await call(ours.token, guess.missed)).status < 300)
      const answers = [await call(blind, guess.missed), await call(blind, guess.stored)]
      assert.deepEqual(answers.map(shownOf)[0], answers.map(shownOf)[1])
    }
  }))

test('what is compared is there: events are told, and versions move', async () => {
  const guess = guesses['contracts.update compensation.amount']
  const operation = everyOperation.find(({ id }) => id === 'contracts.update')
  assert.ok(guess && operation)
  const told = (await seen(operation, guess, { compensation: { amount: guess.stored } })) as Fields
  assert.deepEqual(
    (told.events as { data: { meta: Fields } }[]).map(({ data }) => data.meta.event_type),
    ['contract.updated'],
  )
  assert.deepEqual(told.moved, [false, false, 1])
})

test('every sensitive field that can be written is tried', () => {
  const tried = guessable.flatMap((operation) =>
    placesOf(operation).map((place) => `${operation.id} ${place.join('.')}`),
  )
  assert.deepEqual(Object.keys(guesses).sort(), tried.sort())
  for (const operation of guessable) assert.ok(registered(operation).sensitive.categories.length > 0)
})
