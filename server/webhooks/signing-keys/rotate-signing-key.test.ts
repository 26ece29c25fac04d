import assert from 'node:assert/strict'
import { cases } from '#test/cases.ts'
import type { Body } from '#test/factories.ts'
import type { TestService } from '#test/service.ts'
import { subscribed } from '#test/subscribed.ts'

/** A subscription in the middle of a rotation: `first` is the previous key, `second` the primary one. */
const rotated = async (t: TestService): Promise<Body> => {
  const made = await subscribed({ key_label: 'first' })(t)
  await t.clock.advance(1_000)
  await t.call('POST', `/webhooks/${made.id}/signing-keys`, { body: { label: 'second' } })
  return made
}
const audit = ({ webhook_id }: Body) => ({
  subject_kind: 'webhooks',
  subject_id: webhook_id,
  changed_fields: ['signing_keys'],
})

cases('webhooks.rotate_signing_key', {
  'the new key is primary at once and shown this once': {
    given: subscribed({ key_label: 'first' }),
    input: { label: 'second' },
    body: { label: 'second', retires_at: null, last_used_at: null },
    audit,
  },
  'a third live key is refused': { given: rotated, answers: '409 rotation_open' },
  'a label in use is refused, whatever subscription has it': {
    async given(t) {
      await subscribed({ key_label: 'taken' })(t)
      return subscribed()(t)
    },
    input: { label: 'taken' },
    answers: '409 label_in_use',
    errors: ['/label'],
  },
  'a time in the past is refused': {
    given: subscribed(),
    input: { activate_at: '2020-01-01T00:00:00Z' },
    answers: '400 validation_failed',
    errors: ['/activate_at'],
  },
  'a time more than a week ahead is refused': {
    given: subscribed(),
    input: (_, t) => ({ activate_at: new Date(t.clock.now() + 8 * 86_400_000).toISOString() }),
    answers: '400 validation_failed',
    errors: ['/activate_at'],
  },
})

cases('webhooks.delete_signing_key', {
  'the previous key is retired at once': { given: rotated, input: { label: 'first' }, audit },
  'the primary key stays': { given: rotated, input: { label: 'second' }, answers: '409 key_is_primary' },
  'a key that is not there is not found': { given: rotated, input: { label: 'third' }, answers: '404 not_found' },
})

cases('webhooks.list_signing_keys', {
  'keys are listed newest first, never with their values': {
    as: 'viewer',
    async given(t) {
      const made = await subscribed({ key_label: 'first' })(t)
      await t.clock.advance(1_000)
      await t.call('POST', `/webhooks/${made.id}/signing-keys`, { body: { label: 'second' } })
      return made
    },
    body: {
      data: [
        { label: 'second', state: 'primary', retires_at: null },
        { label: 'first', state: 'previous' },
      ],
      total_count: 2,
    },
    async afterwards(_, { given, body }) {
      assert.ok(!JSON.stringify(body).includes('whsec_'), given.id)
    },
  },
})
