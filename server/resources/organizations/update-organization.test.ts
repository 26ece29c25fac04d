import { cases } from '#test/cases.ts'
import type { TestService } from '#test/service.ts'

const own = async (t: TestService) => ({ organization_id: t.organization.id })

cases('organizations.update', {
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
})
