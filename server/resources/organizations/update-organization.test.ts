import assert from 'node:assert/strict'
import { cases } from '#test/cases.ts'
import { issuedInvoice, setApproval } from '#test/payments.ts'
import type { TestService } from '#test/service.ts'

const own = async (t: TestService) => ({ organization_id: t.organization.id })

const lowered = { settings: { payment_approval: 'none' } }
const strict = async (t: TestService) => {
  await setApproval(t, 'second_person')
  return own(t)
}

cases(
  'organizations.update',
  {
    'an owner lowers the rule that a second person approves, and it holds for a day': {
      as: 'owner',
      given: strict,
      input: lowered,
      body: lowered,
      emits: ['organization.updated'],
      audit: { changed_fields: ['settings.payment_approval'] },
      async afterwards(t) {
        const pay = async () => {
          const { id } = await issuedInvoice(t)
          return (await t.call('POST', '/payments', { body: { invoice_ids: [id] } })).body.status
        }
        assert.equal(await pay(), 'pending_approval')
        await t.clock.advance(86_400_000)
        assert.equal(await pay(), 'processing')
      },
    },
    'an admin, who may not pay, does not lower it': {
      as: 'admin',
      given: strict,
      input: lowered,
      answers: '403 insufficient_scope',
    },
    'a token lowers no rule that holds people back': { given: strict, input: lowered, answers: '403 user_required' },
    'nor the demand for a second factor': {
      async given(t) {
        await t.call('PATCH', `/organizations/${t.organization.id}`, {
          body: { settings: { second_factor: 'required' } },
        })
        await t.takeEvents()
        return own(t)
      },
      input: { settings: { second_factor: 'optional' } },
      answers: '403 user_required',
    },
    'settings change one by one': {
      given: own,
      input: { settings: { invoice_prefix: 'HP', payment_prefix: 'PAY' }, legal_name: 'Harbour Pine GmbH' },
      body: {
        legal_name: 'Harbour Pine GmbH',
        settings: { payment_approval: 'none', invoice_prefix: 'HP', payment_prefix: 'PAY' },
      },
      emits: ({ organization_id }) => [
        [
          'organization.updated',
          { organization_id, name: 'Harbour Pine', changed_fields: ['legal_name', 'settings.invoice_prefix'] },
        ],
      ],
      audit: { subject_kind: 'organizations', changed_fields: ['legal_name', 'settings.invoice_prefix'] },
    },
    'what stands already changes nothing': {
      given: own,
      input: { name: 'Harbour Pine', settings: { final_settlement_days: 30 } },
      audit: null,
    },
    'a prefix is of capitals and digits': {
      given: own,
      input: { settings: { invoice_prefix: 'inv' } },
      answers: '400 validation_failed',
      errors: ['/settings/invoice_prefix'],
    },
    'another one is not there': {
      given: async (t) => ({ organization_id: (await t.createOrganization()).id }),
      input: { name: 'Taken over' },
      answers: '404 not_found',
    },
  },
  { unmet: { reauthentication_required: 'only a session of the console gets old: console-rest.test.ts' } },
)
