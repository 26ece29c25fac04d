import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Receiver, type ReceiverOptions, startReceiver } from '#test/receiver.ts'
import { startTestService, type TestService } from '#test/service.ts'

export interface Subscribed {
  id: string
  signing_key: string
}

/** A service that may reach receivers on this machine, and one such receiver. */
export interface WebhookBench {
  service: TestService
  receiver: Receiver
  /** Subscribes the receiver to `api-token.created`, or to what is told otherwise; fails unless it is created. */
  subscribe(fields?: Record<string, unknown>): Promise<Subscribed>
  /** Causes one `api-token.created` event; answers the id of the token. */
  cause(name?: string): Promise<string>
  /** The deliveries of a subscription, oldest first. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  deliveries(id: string, query?: Record<string, unknown>): Promise<any[]>
  close(): Promise<void>
}

export async function startWebhookBench(
  settings: Record<string, string> = {},
  options: ReceiverOptions = {},
): Promise<WebhookBench> {
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
  return {
    service,
    receiver,
    subscribe: (fields = {}) => created('/webhooks', { url: receiver.url, events: ['api-token.created'], ...fields }),
    cause: async (name = 'Payroll export') =>
      (await created('/api-tokens', { name, scopes: ['contracts:read'] })).id as string,
    async deliveries(id, query = {}) {
      const { status, body } = await service.call('GET', `/webhooks/${id}/deliveries`, {
        query: { limit: 100, ...query },
      })
      if (status !== 200) throw new Error(`the deliveries answered ${status}: ${JSON.stringify(body)}`)
      return body.data.toReversed()
    },
    async close() {
      await service.close()
      await receiver.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
