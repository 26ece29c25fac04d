import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { egressSettings, webhookSettings } from '#boot/config.ts'
import type { EgressSettings } from '#outbound/address-rules.ts'
import { type ReceiverOptions, startReceiver } from '#test/receiver.ts'
import { startTestService } from '#test/service.ts'
import { openWebhooks, type WebhookParts, type Webhooks } from '#webhooks/open-webhooks.ts'
import type { WebhookSettings } from '#webhooks/room.ts'

export interface Subscribed {
  id: string
  signing_key: string
}

export type WebhookBench = Awaited<ReturnType<typeof startWebhookBench>>

/** Starts a service that may reach receivers on this machine, and one such receiver. */
export async function startWebhookBench(settings: Record<string, string> = {}, options: ReceiverOptions = {}) {
  const receiver = await startReceiver(options)
  const folder = await mkdtemp(join(tmpdir(), 'stint-webhooks-'))
  const ca_file = join(folder, 'ca.pem')
  await writeFile(ca_file, receiver.ca)
  const service = await startTestService({
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    WEBHOOK_CA_FILE: ca_file,
    ...settings,
  })
  const created = async (path: string, body: unknown) => {
    const answer = await service.call('POST', path, { body })
    if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const others: Webhooks[] = []
  return {
    service,
    receiver,
    /** Subscribes the receiver to `api-token.created`, or to what is told otherwise; fails unless it is created. */
    subscribe: (fields: Record<string, unknown> = {}): Promise<Subscribed> =>
      created('/webhooks', { url: receiver.url, events: ['api-token.created'], ...fields }),
    /** Causes one `api-token.created` event; answers the id of the token. */
    cause: async (name = 'Payroll export') =>
      (await created('/api-tokens', { name, scopes: ['contracts:read'] })).id as string,
    /** The deliveries of a subscription, oldest first. */
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
    async deliveries(id: string, query: Record<string, unknown> = {}): Promise<any[]> {
      const { status, body } = await service.call('GET', `/webhooks/${id}/deliveries`, {
        query: { limit: 100, ...query },
      })
      if (status !== 200) throw new Error(`the deliveries answered ${status}: ${JSON.stringify(body)}`)
      return body.data.toReversed()
    },
    /** Deletes every subscription, so that the next test has its events to itself. */
    async unsubscribeAll() {
      const { body } = await service.call('GET', '/webhooks', { query: { limit: 100 } })
      for (const { id } of body.data) await service.call('DELETE', `/webhooks/${id}`)
      await service.dispatcher.runDue()
    },
    /** Another process's workers on the same database, with settings of their own; closed with the bench. */
    openWorkers(
      changed: Partial<WebhookSettings> = {},
      egress: EgressSettings = {},
      parts: Partial<WebhookParts> = {},
    ) {
      const { registry, secrets, clock, log } = service.runtime
      const { connection } = service.database
      const workers = openWebhooks({
        settings: { ...webhookSettings(service.config), ...changed },
        egress: { ...egressSettings(service.config, 'https://stint.test'), ...egress },
        connection,
        registry,
        secrets,
        clock,
        log,
        release: 'test',
        monotonic_ms: () => clock.now(),
        ...parts,
      })
      others.push(workers)
      return workers
    },
    async close() {
      for (const workers of others) {
        await workers.stop()
        await workers.close()
      }
      await service.close()
      await receiver.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
