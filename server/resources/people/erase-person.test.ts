import assert from 'node:assert/strict'
import { cases } from '#test/cases.ts'
import {
  activeContract,
  addMember,
  type Body,
  createContract,
  createPerson,
  linkAccount,
  workerToken,
} from '#test/factories.ts'
import { invoiceIn } from '#test/invoices.ts'
import { issuedInvoice } from '#test/payments.ts'
import type { TestService } from '#test/service.ts'
import { makePolicy, requestTimeOff } from '#test/time-off.ts'
import { contractFor, enter } from '#test/work-items.ts'

/** The one person of the case as the list of all shows it. */
async function removed(t: TestService): Promise<Body> {
  const { body } = await t.call('GET', '/people', { query: { include_deleted: true } })
  return body.data.at(0)
}

const erased = { first_name: 'Erased', last_name: 'person', full_name: 'Erased person', phone: null }

/** A contract that was worked on, and is over from today on. */
async function ended(t: TestService, contract: { contract_id: string; worker_id: string }) {
  const today = new Date(t.clock.now()).toISOString().slice(0, 10)
  const body = { type: 'termination', completion_date: today, reason: 'Not needed.' }
  await t.call('POST', `/contracts/${contract.contract_id}/terminate`, { body })
  await t.clock.set(new Date(t.clock.now() + 86_400_000).toISOString())
  await t.timers.runDue()
  return { person_id: contract.worker_id }
}

cases('people.erase', {
  'of somebody who stands it is a removal too, and nothing is left but the kind of worker': {
    given: (t) => createPerson(t, { external_id: 'ada', phone: '+49301234567', country: 'SE', locale: 'de' }),
    emits: ({ id }) => [
      ['person.deleted', { person_id: id }],
      ['person.updated', { person_id: id, full_name: 'Erased person', email: `${id}@erased.invalid` }],
    ],
    afterwards: async (t, { given }) => {
      const left = await removed(t)
      const kept = { country: 'SE', worker_type: 'contractor' }
      assert.partialDeepStrictEqual(left, { ...erased, ...kept, external_id: null, locale: 'en' })
      assert.ok(left.erased_at && left.deleted_at)
      for (const search of ['ada', 'lindqvist', given.email.split('@')[0]])
        assert.equal((await t.call('GET', '/people', { query: { search, include_deleted: true } })).body.total_count, 0)
    },
  },
  'all that acts for the person ends, and time off ahead': {
    given: async (t) => {
      const person = await createPerson(t)
      const { member_id } = await addMember(t, null)
      await linkAccount(t, person.id, member_id)
      await workerToken(t, person.id)
      await requestTimeOff(t, { person_id: person.id, policy_id: (await makePolicy(t)).id })
      return person
    },
    emits: [
      ...['time-off.cancelled', 'person.deleted', 'user.deprovisioned'],
      ...['api-token.revoked', 'api-token.revoked', 'person.updated'],
    ],
    afterwards: async (t) => assert.partialDeepStrictEqual(await removed(t), { ...erased, access: 'disabled' }),
  },
  'somebody who was removed before is erased too': {
    given: async (t) => {
      const person = await createPerson(t)
      await t.call('DELETE', `/people/${person.id}`)
      return person
    },
    emits: ['person.updated'],
    audit: { subject_kind: 'people' },
    afterwards: async (t) => assert.partialDeepStrictEqual(await removed(t), erased),
  },
  'a second time it changes nothing': {
    given: async (t) => {
      const person = await createPerson(t)
      await t.call('POST', `/people/${person.id}/erase`)
      return { ...person, first: await removed(t) }
    },
    audit: null,
    afterwards: async (t, { given }) => assert.deepEqual(await removed(t), given.first),
  },
  'somebody unknown is not found': {
    input: { person_id: '019b8d2b-8c00-7a10-8c02-61f0d4b7a9e3' },
    answers: '404 not_found',
  },
  'a contract that stands keeps its worker': {
    given: async (t) => ({ person_id: (await createContract(t)).worker_id }),
    answers: '409 has_dependents',
  },
  'so does an active one': {
    given: async (t) => ({ person_id: (await activeContract(t)).worker_id }),
    answers: '409 has_dependents',
  },
  ...Object.fromEntries(
    (['pending', 'processing'] as const).map((status) => [
      `a ${status} invoice has to be paid first`,
      { given: async (t: TestService) => ended(t, await invoiceIn(t, status)), answers: '409 has_dependents' as const },
    ]),
  ),
  'a paid one stays as it was issued': {
    given: async (t) => {
      const contract = await contractFor(t, 'timesheets')
      const invoice = await issuedInvoice(t, { contract_id: contract.id })
      const { body: payment } = await t.call('POST', '/payments', { body: { invoice_ids: [invoice.id] } })
      await t.call('POST', `/payments/${payment.id}/settle`, { body: {} })
      return { ...(await ended(t, contract)), invoice }
    },
    emits: ['person.deleted', 'oauth-grant.revoked', 'person.updated'],
    afterwards: async (t, { given: { invoice } }) => {
      const { body } = await t.call('GET', `/invoices/${invoice.id}`)
      assert.deepEqual([body.total, body.supplier], [invoice.total, invoice.supplier])
    },
  },
  ...Object.fromEntries(
    (['timesheets', 'invoice_adjustments'] as const).map((kind) => [
      `${kind} that wait for the final invoice have to be settled first`,
      {
        given: async (t: TestService) => {
          const contract = await contractFor(t, kind)
          await enter(t, kind, contract, { auto_approve: false })
          return ended(t, contract)
        },
        answers: '409 has_dependents' as const,
      },
    ]),
  ),
  'the last owner who can sign in stays': {
    given: async (t) => {
      const { member_id } = await addMember(t, 'owner')
      const made = await createPerson(t)
      await linkAccount(t, made.id, member_id)
      return made
    },
    answers: '409 last_owner',
  },
  'a finance role erases nobody': { as: 'finance', given: (t) => createPerson(t), answers: '403 insufficient_scope' },
})
