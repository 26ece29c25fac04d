import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { sql } from '#db/database.ts'
import { answer } from '#test/receiver.ts'
import { startWebhookBench, type WebhookBench } from '#test/webhook-bench.ts'

let bench: WebhookBench
before(async () => {
  bench = await startWebhookBench({
    WEBHOOK_RETRY_SCHEDULE: '1m',
    WEBHOOK_DISABLE_AFTER: '2',
    WEBHOOK_WARN_AFTER: '1',
  })
})
after(() => bench.close())
afterEach(() => bench.unsubscribeAll())

/** The revisions of a subscription: its state from each change on, and the kind of actor who changed it. */
function revisionsOf(id: string) {
  const { database, organization } = bench.service
  const scope = { role: 'app', organization_id: organization.id } as const
  return database.database.transaction(scope, (tx) =>
    tx.rows(sql`
      select revision, status, events[1] as event, payload, sensitive_data, changed_by->>'kind' as by
      from webhook_subscription_revisions where subscription_id = ${id} order by revision`),
  )
}

const change = (id: string, body: Record<string, unknown>) => bench.service.call('PATCH', `/webhooks/${id}`, { body })

const [created, revoked] = ['api-token.created', 'api-token.revoked']

test('every change leaves one revision with what the subscription was from then on and who changed it', async () => {
  const { service } = bench
  const { id } = await bench.subscribe({ sensitive_data: ['compensation'] })
  await change(id, { events: [revoked] })
  await change(id, { status: 'disabled', payload: 'thin' })
  await service.call('POST', `/webhooks/${id}/enable`, { body: {} })
  await service.call('POST', `/webhooks/${id}/enable`, { body: {} })
  await service.call('DELETE', `/webhooks/${id}`)
  const first = { payload: 'full', sensitive_data: ['compensation'], by: 'token' }
  const thin = { ...first, payload: 'thin' }
  assert.deepEqual(await revisionsOf(id), [
    { ...first, revision: 1, status: 'active', event: created },
    { ...first, revision: 2, status: 'active', event: revoked },
    { ...thin, revision: 3, status: 'active', event: revoked },
    { ...thin, revision: 4, status: 'disabled', event: revoked },
    { ...thin, revision: 5, status: 'active', event: revoked },
    { ...thin, revision: 6, status: 'deleted', event: revoked },
  ])
})

test('a subscription that the engine disables has a revision by the system', async () => {
  const { service, receiver } = bench
  const { id } = await bench.subscribe()
  await bench.cause()
  receiver.script(answer({ status: 500 }), answer({ status: 500 }))
  await service.dispatcher.runDue()
  await service.clock.advance(60_000)
  await service.dispatcher.runDue()
  assert.equal((await service.call('GET', `/webhooks/${id}`)).body.disabled_reason, 'failures')
  const kept = { event: created, payload: 'full', sensitive_data: [] }
  assert.deepEqual(await revisionsOf(id), [
    { ...kept, revision: 1, status: 'active', by: 'token' },
    { ...kept, revision: 2, status: 'disabled', by: 'system' },
  ])
})
