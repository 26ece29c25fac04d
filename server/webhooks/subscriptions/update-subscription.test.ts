import { cases } from '#test/cases.ts'
import { refusedReceivers, subscribed } from '#test/subscribed.ts'

cases('webhooks.update', {
  'a change keeps what it does not name': {
    given: subscribed({ name: 'Payroll', description: 'Old' }),
    input: { description: null },
    body: ({ url, events }) => ({ name: 'Payroll', description: null, url, events }),
    audit: ({ webhook_id }) => ({ subject_kind: 'webhooks', subject_id: webhook_id, changed_fields: ['description'] }),
  },
  'equal values change nothing': {
    given: subscribed({ name: 'Payroll' }),
    input: { name: 'Payroll', payload: 'full', status: 'active' },
    body: ({ updated_at }) => ({ updated_at }),
    audit: null,
  },
  'disabling by hand tells who and why': {
    given: subscribed({ name: 'Payroll' }),
    input: { status: 'disabled' },
    body: { status: 'disabled', disabled_reason: 'manual', disabled_by: { kind: 'token' } },
    emits: ({ webhook_id, url }, { disabled_at }) => [
      [
        'webhook.disabled',
        { webhook_id, url, name: 'Payroll', reason: 'manual', consecutive_failures: 0, disabled_at, last_error: null },
      ],
    ],
  },
  'what is disabled is not disabled again': {
    given: subscribed({ status: 'disabled' }),
    input: { status: 'disabled' },
    audit: null,
  },
  'enabling forgets who disabled it, and may discard what was held': {
    given: subscribed({ status: 'disabled' }),
    input: { status: 'active', held: 'discard' },
    body: { status: 'active', disabled_reason: null, disabled_at: null, disabled_by: null },
    emits: [['webhook.enabled', { reason: null, disabled_at: null }]],
  },
  'held without status active is refused': {
    given: subscribed(),
    input: { held: 'discard' },
    answers: '400 validation_failed',
    errors: ['/held'],
  },
  'a category that the token lacks is refused': {
    as: 'client without compensation',
    given: subscribed(),
    input: { sensitive_data: ['compensation'] },
    answers: '403 sensitive_data_required',
  },
  'a name that does not resolve is accepted with a warning': {
    given: subscribed(),
    input: { url: 'https://nowhere.invalid/hook' },
    body: { warnings: ['url_unresolved'] },
  },
  ...refusedReceivers((input) => input, subscribed()),
})
