import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type Case, cases, serviceOfCases } from '#test/cases.ts'
import { activeContract, type Body, createContract, insertNamed } from '#test/factories.ts'
import type { TestService } from '#test/service.ts'
import { contract } from './contract.ts'

/** Made one minute apart in this order; a list shows the newest first. */
async function fiveContracts(t: TestService): Promise<Body> {
  const team_id = await insertNamed(t, 'teams', 'Platform')
  const legal_entity_id = await insertNamed(t, 'legal_entities', 'Harbour Pine Inc.')
  const worker = (first_name: string, last_name: string, country: string) => ({
    worker: {
      first_name,
      last_name,
      country,
      email: `${first_name.normalize('NFKD').replaceAll(/\W/g, '')}@harbour.example`,
    },
  })
  const add = async (overrides: Record<string, unknown>, make: typeof activeContract = createContract) => {
    const made = await make(t, overrides)
    await t.clock.advance(60_000)
    return made
  }
  const a = await add({ title: 'a', ...worker('Zoë', 'Müller-Lüdenscheid', 'DE'), team_id })
  await add({ title: 'b Straßenbau', ...worker('Ines', 'Rojas', 'CL'), external_id: 'C07' })
  const usd = { amount: '60.00', currency: 'USD', frequency: 'weekly' }
  const c = { title: 'c', ...worker('Liam', 'Walsh', 'US'), legal_entity_id, compensation: usd, type: 'pay_as_you_go' }
  await add(c, activeContract)
  await add({ title: 'd', worker_id: a.worker_id, start_date: '2026-08-01' })
  const milestones = { type: 'milestone', compensation: { currency: 'USD', frequency: 'monthly' } }
  const e = await add({ title: 'e', ...worker('Emeka', 'Okafor', 'NG'), ...milestones })
  await t.call('POST', `/contracts/${e.id}/cancel`)
  await t.call('POST', `/contracts/${e.id}/archive`)
  return { worker_id: a.worker_id, other_worker_id: e.worker_id, team_id, legal_entity_id }
}

const titles = (body: Body): string => body.data.map(({ title }: Body) => title[0]).join('')

type Query = Record<string, string>

/** The rows that a query shows, each by the first letter of its title. */
const shows = (expected: string, input: Query | ((given: Body) => Query) = {}): Case => ({
  input,
  body: { total_count: expected.length },
  afterwards: async (_t, { body }) => assert.equal(titles(body), expected),
})
const refused = (input: Query): Case => ({ input, answers: '400 validation_failed' })

const unknown = '019b8d2b-8c00-7a10-8c02-61f0d4b7a9e3'
const unknownId = (name: string): Case => ({
  input: { [name]: unknown },
  answers: '422 reference_not_found',
  errors: [`/${name}`],
})
const foreignId = (name: string, idOf: (t: TestService, theirs: Body) => Promise<string>): Case => ({
  given: async (t) => {
    const other = await t.createOrganization()
    return { [name]: await idOf(t, await createContract(t, {}, other)) }
  },
  input: (given) => given,
  answers: '422 reference_not_found',
  errors: [`/${name}`],
})

cases(
  'contracts.list',
  {
    'without a filter the newest comes first': shows('edcba'),
    'one status': shows('c', { statuses: 'active' }),
    'two statuses': shows('edba', { statuses: 'pending,cancelled' }),
    'a status that no contract has': shows('', { 'statuses[]': 'rejected' }),
    'two types': shows('ec', { types: 'milestone,pay_as_you_go' }),
    'a worker by id': shows('da', ({ worker_id }) => ({ worker_id })),
    'a worker by e-mail in any case': shows('da', { worker_email: 'ZOE@harbour.example' }),
    'an e-mail that nobody has': shows('', { worker_email: 'nobody@harbour.example' }),
    'a team': shows('a', ({ team_id }) => ({ team_id })),
    'a legal entity': shows('c', ({ legal_entity_id }) => ({ legal_entity_id })),
    'several countries': shows('cb', { countries: 'CL,US,FR' }),
    'a currency': shows('ec', { currencies: 'USD' }),
    'an external id': shows('b', { external_id: 'C07' }),
    'what is archived': shows('e', { is_archived: 'true' }),
    'what is not archived': shows('dcba', { is_archived: 'false' }),
    'a start from its own day on': shows('edcba', { start_date_from: '2026-06-15' }),
    'a start from the day after on': shows('d', { start_date_from: '2026-06-16' }),
    'a start up to its own day': shows('ecba', { start_date_to: '2026-06-15' }),
    'a start within one day': shows('d', { start_date_from: '2026-08-01', start_date_to: '2026-08-01' }),
    'a word without its accent': shows('da', { search: 'zoe' }),
    'words in any case, the last one begun': shows('da', { search: 'ZOË mull' }),
    'a word behind a hyphen': shows('da', { search: 'ludenscheid' }),
    'a word with ß written out': shows('b', { search: 'strassen' }),
    'words of the title and of the worker': shows('b', { search: 'strasse rojas' }),
    'words of two contracts': shows('', { search: 'rojas zoe' }),
    'an e-mail as search word': shows('c', { search: 'liam@harbour.example' }),
    'the middle of a word': shows('', { search: 'ojas' }),
    'signs that SQL knows': shows('', { search: '%%' }),
    'several filters together': shows('c', { search: 'harbour', currencies: 'USD', statuses: 'active' }),
    'what changed after a moment': shows('edc', { updated_after: '2026-06-15T09:02:00Z' }),

    'an unknown worker_id is refused': unknownId('worker_id'),
    'an unknown team_id is refused': unknownId('team_id'),
    'an unknown legal_entity_id is refused': unknownId('legal_entity_id'),
    'a foreign worker_id is refused': foreignId('worker_id', async (_t, { worker_id }) => worker_id),
    'a foreign legal_entity_id is refused': foreignId('legal_entity_id', async (_t, theirs) => theirs.legal_entity.id),
    'a foreign team_id is refused': foreignId('team_id', async (t) =>
      insertNamed(t, 'teams', 'Theirs', (await t.createOrganization()).id),
    ),
    'a known worker_id without such contracts is not refused': shows('', ({ other_worker_id }) => ({
      worker_id: other_worker_id,
      types: 'employee',
    })),
    'a known team_id without such contracts is not refused': shows('', ({ team_id }) => ({
      team_id,
      types: 'employee',
    })),
    'a known legal_entity_id without such contracts is not refused': shows('', ({ legal_entity_id }) => ({
      legal_entity_id,
      types: 'employee',
    })),

    'a status that is none is refused': refused({ statuses: 'open' }),
    'an empty set is refused': refused({ types: '' }),
    'an id that is none is refused': refused({ worker_id: 'x' }),
    'a country that is none is refused': refused({ countries: 'XX' }),
    'a currency in small letters is refused': refused({ currencies: 'usd' }),
    'a boolean that is none is refused': refused({ is_archived: 'yes' }),
    'a date that is none is refused': refused({ start_date_from: '2026-02-30' }),
    'a moment on a day that is none is refused': refused({ updated_after: '2026-02-30T00:00:00Z' }),
    'an hour that is none is refused': refused({ updated_after: '2026-01-12T24:00:00Z' }),
    'a search of one letter is refused': refused({ search: 'x' }),
    'a filter that is none is refused': refused({ status: 'active' }),
    'a limit above the most is refused': refused({ limit: '101' }),

    'amounts are withheld without the category, and the answer says so': {
      as: 'client without compensation',
      input: { statuses: 'pending' },
      headers: { 'sensitive-data-withheld': 'compensation' },
      afterwards: async (_t, { body }) =>
        assert.deepEqual(
          body.data.map(({ compensation }: Body) => [compensation.amount, compensation.currency]),
          [
            [null, 'EUR'],
            [null, 'EUR'],
            [null, 'EUR'],
          ],
        ),
    },
    'a row of the list is the contract as it is read by id': {
      afterwards: async (t, { body }) => {
        for (const row of body.data) assert.deepEqual((await t.call('GET', `/contracts/${row.id}`)).body, row)
      },
    },
    'another organization sees none of them': {
      given: async (t) => ({ token: (await t.createOrganization()).token }),
      as: ({ token }) => token,
      body: { data: [], total_count: 0 },
    },
  },
  { given: fiveContracts },
)

let service: TestService
before(async () => {
  service = await serviceOfCases()
})

test('regression: a title is found by each of its words, however many they are', async () => {
  const other = await service.createOrganization()
  const words = Array.from({ length: 100 }, (_, index) => String.fromCodePoint(0x4e00 + index))
  const { id } = await createContract(service, { title: words.join(' ') }, other)
  for (const search of [words.slice(30, 60).join(' '), `${words[0]} ${words[99]}`]) {
    const { body } = await service.call('GET', '/contracts', { token: other.token, query: { search } })
    assert.deepEqual(
      body.data.map((row: Body) => row.id),
      [id],
      search,
    )
  }
})

test('regression: the external id of a worker finds the person, but no contract', async () => {
  const other = await service.createOrganization()
  const worker = { first_name: 'Ada', last_name: 'Lind', email: 'ada@harbour.example', country: 'DE' }
  await createContract(service, { worker: { ...worker, external_id: 'HR-4711 Ada' } }, other)
  const found = async (path: string, search: string) =>
    (await service.call('GET', path, { token: other.token, query: { search } })).body.total_count
  for (const search of ['4711', 'hr-4711', 'lind 4711']) {
    assert.deepEqual([await found('/contracts', search), await found('/people', search)], [0, 1], search)
  }
  assert.deepEqual([await found('/contracts', 'ada lind'), await found('/people', 'ada lind')], [1, 1])
})

test('contracts are counted without the tables that only show the names of others', () => {
  const { from, counted } = contract.list(contract.entryExample.contract_id, {})
  assert.match(from.strings.join(), /left join people/)
  assert.equal(counted?.strings.join().trim(), 'contracts')
})
