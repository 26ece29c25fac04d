import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cases, serviceOfCases } from '#test/cases.ts'
import { type Body, createContract } from '#test/factories.ts'
import { inOrganization, type TestService } from '#test/service.ts'

const harbour = { name: 'Harbour Pine Inc.', country: 'US' }
const bank_account = {
  holder_name: 'Harbour Pine',
  country: 'DE',
  currency: 'EUR',
  iban: 'DE02 1203 0000 0000 2020 51',
}
const iban = 'DE02120300000000202051'

const make = async (t: TestService, body: object = {}): Promise<Body> => {
  const made = await t.call('POST', '/legal-entities', { body: { ...harbour, ...body } })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return { ...made.body, legal_entity_id: made.body.id }
}

const theDefault = async (t: TestService): Promise<Body> => {
  const { body } = await t.call('GET', '/legal-entities')
  const found = body.data.filter(({ is_default }: Body) => is_default)
  assert.equal(found.length, 1)
  return { ...found[0], legal_entity_id: found[0].id }
}

const refusedAccount = (account: object, at: string) => ({
  input: { ...harbour, bank_account: { ...bank_account, ...account } },
  answers: '400 validation_failed' as const,
  errors: [at],
})

cases('legal_entities.create', {
  'a legal entity is stored': {
    input: { ...harbour, kind: 'individual', vat_id: 'US1', external_id: 'le2' },
    body: { ...harbour, kind: 'individual', vat_id: 'US1', is_default: false, bank_account: null },
    emits: [['legal-entity.created', { ...harbour, is_default: false, external_id: 'le2' }]],
    afterwards: async (t, { body }) => assert.notEqual((await theDefault(t)).id, body.id),
  },
  'a new default takes the mark from the old one': {
    given: theDefault,
    input: { ...harbour, is_default: true },
    body: { is_default: true },
    emits: ({ id }) => [
      ['legal-entity.updated', { legal_entity_id: id, is_default: false, changed_fields: ['is_default'] }],
      ['legal-entity.created', { is_default: true }],
    ],
    afterwards: async (t, { body }) => assert.equal((await theDefault(t)).id, body.id),
  },
  'an IBAN is stored without spaces': {
    input: { ...harbour, bank_account },
    body: { bank_account: { ...bank_account, iban } },
    emits: ['legal-entity.created'],
  },
  'wrong check digits are refused': refusedAccount({ iban: 'DE03120300000000202051' }, '/bank_account/iban'),
  'an IBAN and an account number are refused': refusedAccount({ account_number: '1' }, '/bank_account'),
  'an account without a number is refused': refusedAccount({ iban: null }, '/bank_account'),
  'a bank account needs its category': {
    as: 'client without sensitive data',
    input: { ...harbour, bank_account },
    answers: '403 sensitive_data_required',
  },
})

cases('legal_entities.list', {
  'they are found by country': {
    given: (t) => make(t),
    input: { countries: ['US'] },
    body: ({ id }) => ({ data: [{ id, ...harbour }], total_count: 1 }),
  },
})

cases('legal_entities.get', {
  'its bank account is shown': { given: (t) => make(t, { bank_account }), body: { bank_account: { iban } } },
  'without the category it is withheld': {
    as: 'client without sensitive data',
    given: (t) => make(t, { bank_account }),
    body: { bank_account: null },
    headers: { 'sensitive-data-withheld': 'bank_details' },
  },
})

cases('legal_entities.update', {
  'the mark of the default moves': {
    given: async (t) => ({ ...(await make(t)), old: await theDefault(t) }),
    input: { is_default: true },
    body: { is_default: true },
    emits: ({ id, old }) => [
      ['legal-entity.updated', { legal_entity_id: old.id, is_default: false }],
      ['legal-entity.updated', { legal_entity_id: id, is_default: true, changed_fields: ['is_default'] }],
    ],
    afterwards: async (t, { given }) => assert.equal((await theDefault(t)).id, given.id),
  },
  'the mark is not taken away': {
    given: theDefault,
    input: { is_default: false },
    answers: '409 invalid_state',
  },
  'the default stays it': { given: theDefault, input: { is_default: true }, audit: null },
  'a bank account needs its category': {
    as: 'client without sensitive data',
    given: (t) => make(t),
    input: { bank_account: null },
    answers: '403 sensitive_data_required',
  },
})

cases('legal_entities.delete', {
  'one that nobody names is deleted': { given: (t) => make(t), emits: ['legal-entity.deleted'] },
  'the default stays': { given: theDefault, answers: '409 invalid_state' },
  'one of an open contract stays': {
    given: async (t) => {
      const made = await make(t)
      await createContract(t, { legal_entity_id: made.id })
      return made
    },
    answers: '409 has_dependents',
  },
})

test('of several that become the default at once each wins in its turn', async () => {
  const service = await serviceOfCases()
  const t = inOrganization(service, await service.createOrganization({ is_sandbox: false }))
  const made = await Promise.all(['A', 'B', 'C', 'D'].map((name) => make(t, { name })))
  const answers = await Promise.all(
    made.map(({ id }) => t.call('PATCH', `/legal-entities/${id}`, { body: { is_default: true } })),
  )
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200, 200],
  )
  await theDefault(t)
})
