import { cases } from '#test/cases.ts'
import { subscribed } from '#test/subscribed.ts'

cases('webhooks.get', {
  'a subscription is shown without its signing key': {
    as: 'viewer',
    given: subscribed({ name: 'Payroll' }),
    body: ({ signing_key: _, webhook_id: __, ...shown }) => shown,
  },
  'a deleted one is gone': {
    async given(t) {
      const made = await subscribed()(t)
      await t.call('DELETE', `/webhooks/${made.id}`)
      return made
    },
    answers: '404 not_found',
  },
})

cases(
  'webhooks.list',
  {
    'subscriptions are listed newest first': {
      as: 'viewer',
      body: ({ first, second }) => ({ data: [{ id: second.id }, { id: first.id }], total_count: 2, has_more: false }),
    },
    'one status is asked for': {
      input: { statuses: ['disabled'] },
      body: ({ second }) => ({ data: [{ id: second.id }], total_count: 1 }),
    },
    'deleted is no status to ask for': { input: { statuses: ['deleted'] }, answers: '400 validation_failed' },
  },
  {
    async given(t) {
      const first = await subscribed()(t)
      return { first, second: await subscribed({ status: 'disabled' })(t) }
    },
  },
)
