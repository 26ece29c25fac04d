import assert from 'node:assert/strict'
import { cases } from '#test/cases.ts'
import { type Body, createPerson, workerToken } from '#test/factories.ts'
import type { TestService } from '#test/service.ts'

const account = { holder_name: 'Jonas Weber', country: 'DE', currency: 'EUR', iban: 'DE02120300000000202051' } as const
const us = {
  ...account,
  country: 'US',
  currency: 'USD',
  iban: null,
  account_number: '0012345678',
  routing_code: '021000021',
}
const kept = { ...account, bank_name: null, bic: null, routing_code: null, account_number: null }

const withAccount = async (t: TestService) => {
  const person = await createPerson(t)
  const { status } = await t.call('PUT', `/people/${person.id}/bank-account`, { body: account })
  assert.equal(status, 200)
  return person
}

const refused = (what: object, errors: string[]) => ({
  given: (t: TestService) => createPerson(t),
  input: { ...account, ...what },
  answers: '400 validation_failed' as const,
  errors,
})

const asked_of_persons = {
  unmet: { reauthentication_required: 'only a session of the console gets old: console-rest.test.ts' },
}

cases(
  'people.set_bank_account',
  {
    'the account is kept, and its event tells nothing of it': {
      given: (t) => createPerson(t),
      input: { ...account, iban: 'de02 1203 0000 0000 2020 51' },
      body: { bank_account: kept },
      emits: ({ id }) => [['person.bank-account.updated', { person_id: id }]],
      audit: ({ id }) => ({ subject_kind: 'people', subject_id: id, changed_fields: ['bank_account'] }),
      afterwards: async (t, { given, body }) => {
        assert.deepEqual((await t.call('GET', `/people/${given.id}`)).body, body)
        assert.ok(body.updated_at > given.updated_at)
      },
    },
    'it replaces the one that is there, whole': {
      given: withAccount,
      input: us,
      body: { bank_account: { ...kept, ...us } },
      emits: ['person.bank-account.updated'],
    },
    'the same account changes nothing': { given: withAccount, input: account, audit: null },
    'check digits are verified': refused({ iban: 'DE02120300000000202052' }, ['/iban']),
    'so is the country of an IBAN': refused({ iban: 'XX88120300000000202051' }, ['/iban']),
    'either an IBAN or an account number': refused({ account_number: '12345' }, ['']),
    'and one of them': refused({ iban: null }, ['']),
    'a currency that is none is refused': refused({ currency: 'EURO' }, ['/currency']),
    'an unknown field is refused': refused({ swift: 'x' }, ['/swift']),
    'whoever may not see bank details may not set them': {
      as: 'client without sensitive data',
      given: withAccount,
      input: account,
      answers: '403 sensitive_data_required',
    },
    'a finance role may see them only': {
      as: 'finance',
      given: withAccount,
      input: account,
      answers: '403 insufficient_scope',
    },
  },
  asked_of_persons,
)

cases(
  'people.remove_bank_account',
  {
    'the account is removed': {
      given: withAccount,
      emits: ['person.bank-account.updated'],
      audit: ({ id }) => ({ subject_id: id, changed_fields: ['bank_account'] }),
      afterwards: async (t, { given }) => {
        assert.equal((await t.call('GET', `/people/${given.id}`)).body.bank_account, null)
      },
    },
    'where none is, nothing changes': { given: (t) => createPerson(t), audit: null },
    'whoever may not see bank details may not remove them, be there some or none': {
      as: 'client without sensitive data',
      given: (t) => createPerson(t),
      answers: '403 sensitive_data_required',
    },
  },
  asked_of_persons,
)

/** A worker by a token whose minter sees no sensitive data. */
const blindWorker = async (t: TestService): Promise<Body> => {
  const { id } = await createPerson(t)
  const token = await t.createToken(t.organization.id, { sensitive_data: [] })
  return { worker: await workerToken(t, id, { token }) }
}

cases(
  'worker.set_bank_account',
  {
    'a worker says where its own money goes': {
      given: (t) => createPerson(t),
      input: account,
      body: ({ id }) => ({ id, bank_account: kept }),
      emits: ({ id }) => [['person.bank-account.updated', { person_id: id }]],
      audit: ({ id }) => ({ subject_kind: 'people', subject_id: id, actor: { kind: 'worker', id } }),
    },
    'a token that was minted without bank details may not': {
      given: blindWorker,
      input: account,
      answers: '403 sensitive_data_required',
    },
  },
  { unmet: { reauthentication_required: 'only a session of the console gets old: invitations.test.ts' } },
)
