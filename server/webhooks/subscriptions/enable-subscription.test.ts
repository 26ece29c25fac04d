import { cases } from '#test/cases.ts'
import { subscribed } from '#test/subscribed.ts'

cases('webhooks.enable', {
  'enabling tells the others and forgets why it was disabled': {
    given: subscribed({ status: 'disabled', name: 'Payroll' }),
    body: { status: 'active', disabled_reason: null, disabled_at: null, disabled_by: null },
    emits: ({ webhook_id, url }) => [
      [
        'webhook.enabled',
        {
          webhook_id,
          url,
          name: 'Payroll',
          reason: null,
          consecutive_failures: 0,
          disabled_at: null,
          last_error: null,
        },
      ],
    ],
    audit: ({ webhook_id }) => ({ subject_kind: 'webhooks', subject_id: webhook_id }),
  },
  'an active subscription stays as it is': {
    given: subscribed(),
    input: { held: 'discard' },
    body: ({ updated_at }) => ({ status: 'active', updated_at }),
    audit: null,
  },
  'a choice that does not exist is refused': {
    given: subscribed({ status: 'disabled' }),
    input: { held: 'forget' },
    answers: '400 validation_failed',
    errors: ['/held'],
  },
})
