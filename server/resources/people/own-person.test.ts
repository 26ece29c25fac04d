import assert from 'node:assert/strict'
import { cases } from '#test/cases.ts'
import { createContract, createPerson, workerToken } from '#test/factories.ts'

const home_address = { line_1: 'Uferstraße 8', city: 'Berlin', country: 'DE' }

cases('worker.get_profile', {
  'a worker sees all of its own data': {
    given: (t) => createPerson(t, { phone: '+49301234567', home_address, vat_id: 'DE123' }),
    body: ({ id }) => ({ id, phone: '+49301234567', home_address, vat_id: 'DE123' }),
  },
  'a minted token sees what its minter sees': {
    given: async (t) => {
      const { id } = await createPerson(t, { phone: '+49301234567', vat_id: 'DE123' })
      const token = await t.createToken(t.organization.id, { sensitive_data: ['home_address'] })
      return { id, worker: await workerToken(t, id, { token }) }
    },
    body: ({ id }) => ({ id, phone: '+49301234567', vat_id: null }),
  },
  'a client is no worker': { as: 'client', answers: '403 insufficient_scope' },
})

cases('worker.update_profile', {
  'a worker changes its own data': {
    given: (t) => createPerson(t, { home_address }),
    input: { preferred_name: 'Addie', phone: '+49301234567', home_address: { city: 'Bonn' }, locale: 'de' },
    body: { full_name: 'Addie Lindqvist', phone: '+49301234567', home_address: { ...home_address, city: 'Bonn' } },
    emits: ({ id }) => [
      [
        'person.updated',
        {
          person_id: id,
          changed_fields: ['preferred_name', 'phone', 'locale', 'home_address'],
          full_name: 'Addie Lindqvist',
        },
      ],
    ],
    audit: ({ id }) => ({ subject_kind: 'people', subject_id: id, actor: { kind: 'worker', id } }),
  },
  'equal values change nothing': { given: (t) => createPerson(t), input: { locale: 'en', phone: null }, audit: null },
  ...Object.fromEntries(
    [
      { email: 'x@harbour.example' },
      { first_name: 'X' },
      { job_title: 'X' },
      { team_ids: [] },
      { bank_account: null },
    ].map((input) => [
      `${Object.keys(input)} is the client’s to change`,
      { given: createPerson, input, answers: '400 validation_failed' as const },
    ]),
  ),
  'a minted token is not told what there is to merge into': {
    given: async (t) => {
      const { worker_id } = await createContract(t)
      const token = await t.createToken(t.organization.id, { sensitive_data: [] })
      return { worker: await workerToken(t, worker_id, { token }) }
    },
    input: { home_address: { city: 'Bonn' } },
    answers: '403 sensitive_data_required',
    afterwards: async (t, { given }) => {
      const body = { home_address }
      const { status } = await t.call('PATCH', '/worker/me', { token: given.worker, body })
      assert.equal(status, 200)
    },
  },
})
