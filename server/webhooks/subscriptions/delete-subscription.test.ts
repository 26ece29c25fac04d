import assert from 'node:assert/strict'
import { cases } from '#test/cases.ts'
import { subscribed } from '#test/subscribed.ts'

cases('webhooks.delete', {
  'a deleted subscription is gone, its history stays': {
    given: subscribed(),
    audit: ({ webhook_id }) => ({ subject_kind: 'webhooks', subject_id: webhook_id }),
    async afterwards(t, { given }) {
      assert.equal((await t.call('GET', `/webhooks/${given.id}`)).status, 404)
      assert.equal((await t.call('GET', `/webhooks/${given.id}/deliveries`)).status, 200)
    },
  },
  'what is deleted is not deleted again': {
    async given(t) {
      const made = await subscribed()(t)
      await t.call('DELETE', `/webhooks/${made.id}`)
      return made
    },
    answers: '404 not_found',
  },
})
