import assert from 'node:assert/strict'
import { sql } from '#db/database.ts'
import { amendmentsOf } from '#test/amendments.ts'
import { cases } from '#test/cases.ts'
import { activeContract, createPerson } from '#test/factories.ts'
import { issuedInvoice } from '#test/payments.ts'
import { makePolicy, requestTimeOff } from '#test/time-off.ts'
import { contractFor, enter } from '#test/work-items.ts'

const kinds = ['contracts', 'amendments', 'timesheets', 'invoice_adjustments', 'invoices', 'time_offs'] as const

cases('people.export', {
  'everything about the person is in it, and nothing about others': {
    given: async (t) => {
      await requestTimeOff(t)
      await activeContract(t)
      const { id, worker_id } = await contractFor(t, 'timesheets')
      const amendment = await amendmentsOf(t, t.organization).draft({ id })
      const timesheet = await enter(t, 'timesheets', { contract_id: id })
      const invoice = await issuedInvoice(t, { contract_id: id })
      const policy_id = (await makePolicy(t)).id
      const time_off = await requestTimeOff(t, { person_id: worker_id, policy_id, reason: 'Moving house' })
      return { person_id: worker_id, id, amendment, timesheet, invoice, time_off }
    },
    body: ({ person_id, id, amendment, timesheet, invoice, time_off }) => ({
      person: { id: person_id },
      contracts: [{ id, compensation: { amount: '45.00' } }],
      amendments: [{ id: amendment.id }],
      timesheets: [timesheet],
      invoice_adjustments: [{ invoice_id: invoice.id }],
      invoices: [{ id: invoice.id, total: invoice.total }],
      time_offs: [{ id: time_off.id, reason: 'Moving house' }],
      incomplete: [],
    }),
    afterwards: async (_, { body }) => {
      for (const kind of kinds) assert.equal(body[kind].length, 1, kind)
    },
  },
  'somebody who was removed has a right to it too': {
    given: async (t) => {
      const person = await createPerson(t, { phone: '+49301234567' })
      await t.call('DELETE', `/people/${person.id}`)
      return person
    },
    body: { person: { phone: '+49301234567' }, contracts: [], incomplete: [] },
  },
  'kinds with more rows than an answer holds are named': {
    given: async (t) => {
      const contract = await contractFor(t, 'timesheets')
      const { id } = await enter(t, 'timesheets', contract)
      await t.database.database.transaction({ role: 'app', organization_id: t.organization.id }, (tx) =>
        tx.run(sql`
          insert into timesheets
          select (jsonb_populate_record(s, jsonb_build_object('id', gen_random_uuid(), 'external_id', null))).*
          from timesheets s, generate_series(1, 2000) where s.id = ${id}`),
      )
      return { person_id: contract.worker_id }
    },
    body: { incomplete: ['timesheets'] },
    afterwards: async (_, { body }) => assert.equal(body.timesheets.length, 2_000),
  },
  'somebody unknown is not found': {
    input: { person_id: '019b8d2b-8c00-7a10-8c02-61f0d4b7a9e3' },
    answers: '404 not_found',
  },
  'a role without a category has nulls for its fields': {
    as: 'developer',
    given: (t) => createPerson(t, { phone: '+49301234567', date_of_birth: '1990-02-28' }),
    body: { person: { phone: null, date_of_birth: null } },
  },
})
