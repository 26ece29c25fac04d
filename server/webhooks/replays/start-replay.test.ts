import { cases } from '#test/cases.ts'
import { clock_start } from '#test/contract-states.ts'
import type { Body } from '#test/factories.ts'
import type { TestService } from '#test/service.ts'
import { subscribed } from '#test/subscribed.ts'

const started = async (t: TestService): Promise<Body> => {
  const made = await subscribed()(t)
  await t.clock.advance(1_000)
  const { body } = await t.call('POST', `/webhooks/${made.id}/replay`, { body: { since: clock_start } })
  return { ...made, replay_id: body.id }
}

cases('webhooks.replay', {
  'a replay begins at once for what failed, up to now': {
    given: subscribed(),
    input: (_, t) => ({ since: new Date(t.clock.now() - 60_000).toISOString() }),
    body: ({ webhook_id }, { created_at }) => ({
      webhook_id,
      state: 'queued',
      until: created_at,
      statuses: ['failed', 'discarded', 'expired'],
      matched: 0,
      created: 0,
      skipped: 0,
      requested_by: { kind: 'token' },
      finished_at: null,
    }),
    audit: ({ webhook_id }) => ({ subject_kind: 'webhooks', subject_id: webhook_id }),
  },
  'a second replay of a subscription is refused while one is open': {
    given: started,
    input: { since: clock_start },
    answers: '409 replay_running',
  },
  'a disabled subscription replays nothing': {
    given: subscribed({ status: 'disabled' }),
    input: { since: '2026-01-01T00:00:00Z' },
    answers: '409 subscription_disabled',
  },
  'a time before what is kept is refused': {
    given: subscribed(),
    input: { since: '2020-01-01T00:00:00Z' },
    answers: '422 range_outside_retention',
  },
  'an end in the future is refused': {
    given: subscribed(),
    input: { since: '2020-01-01T00:00:00Z', until: '2999-01-01T00:00:00Z' },
    answers: '400 validation_failed',
    errors: ['/until'],
  },
  'a span that ends before it begins is refused': {
    given: subscribed(),
    input: { since: '2020-01-02T00:00:00Z', until: '2020-01-01T00:00:00Z' },
    answers: '400 validation_failed',
    errors: ['/since'],
  },
})

cases('webhooks.cancel_replay', {
  'an open replay is cancelled': {
    given: started,
    body: { state: 'cancelled' },
    audit: ({ webhook_id }) => ({ subject_kind: 'webhooks', subject_id: webhook_id }),
  },
  'a finished one stays as it is': {
    async given(t) {
      const made = await started(t)
      await t.call('POST', `/webhooks/${made.id}/replays/${made.replay_id}/cancel`)
      return made
    },
    answers: '409 replay_finished',
  },
})

cases('webhooks.get_replay', {
  'a replay is shown with its progress': {
    as: 'viewer',
    given: started,
    body: ({ webhook_id, replay_id }) => ({
      id: replay_id,
      webhook_id,
      state: 'queued',
      matched: 0,
      finished_at: null,
    }),
  },
  'a replay that never was is missing': {
    given: subscribed(),
    input: { replay_id: '019b8d40-2c80-7b31-9e07-4f1a6c5d8e20' },
    answers: '404 not_found',
  },
})

cases('webhooks.list_replays', {
  'the replays of a subscription are listed': {
    as: 'viewer',
    given: started,
    body: ({ replay_id }) => ({ data: [{ id: replay_id, state: 'queued' }], total_count: 1, has_more: false }),
  },
  'those of another subscription are not': {
    async given(t) {
      await started(t)
      return subscribed()(t)
    },
    body: { data: [], total_count: 0 },
  },
})
