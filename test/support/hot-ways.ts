import { sql } from '#db/database.ts'
import { contractBody, createContract } from '#test/factories.ts'
import { connect, refresh, signIn } from '#test/oauth.ts'
import { callTool, createMember } from '#test/tool-client.ts'
import { startWebhookBench, type WebhookBench } from '#test/webhook-bench.ts'

/** One of the calls that a service gets most. */
export interface Way {
  name: keyof typeof hotWays
  call(): Promise<unknown>
  /** A way that this one goes on from, whose own part is not counted again. */
  beyond?: keyof typeof hotWays
}

/** The five, each with the most own files that it may run through. */
export const hotWays = {
  'POST /contracts': 25,
  'GET /contracts': 20,
  'refresh at /oauth/token': 20,
  'tool call at /mcp': 25,
  'emit → attempt recorded': 20,
} as const

/** The ways of a call in the service of the tests, on the embedded database. */
export async function openWays() {
  const bench = await startWebhookBench()
  const { service } = bench
  // As in production, where nobody checks our own answers against their schemas.
  Object.assign(service.runtime, { strict: false })
  // It writes twice a second, behind whatever call.
  service.requests.stop()
  const { token } = await createMember(service)
  await markTokensUsed(service)
  await createContract(service)
  const connection = await connect(service, await signIn(service))
  let { refresh_token } = connection
  let subscription: string | undefined
  const ways: Way[] = [
    {
      name: 'POST /contracts',
      call: () => service.call('POST', '/contracts', { body: contractBody(service) }),
    },
    { name: 'GET /contracts', call: () => service.call('GET', '/contracts') },
    {
      name: 'refresh at /oauth/token',
      async call() {
        const { status, body } = await refresh(service, connection.client_id, refresh_token)
        if (status !== 200) throw new Error(`the refresh answered ${status}`)
        refresh_token = body.refresh_token
      },
    },
    { name: 'tool call at /mcp', call: () => callTool(service, token, 'list_contracts') },
    {
      name: 'emit → attempt recorded',
      beyond: 'POST /contracts',
      async call() {
        if (!subscription) {
          subscription = (await bench.subscribe({ events: ['contract.created'] })).id
          service.dispatcher.start()
        }
        await sendAndRecord(bench)
      },
    },
  ]
  return { ways, close: () => bench.close() }
}

/**
 * Has every token used just now. The first use of another is noted, and written a second later beside whichever calls run
 * then: on a busy machine each of those that are counted had a statement of it.
 */
function markTokensUsed({ database }: WebhookBench['service']): Promise<number> {
  return database.database.transaction({ role: 'owner' }, (tx) =>
    tx.run(sql`update access_tokens set last_used_at = app_now()`),
  )
}

/** Creates a contract and waits for the attempt at its event to be in the database. */
async function sendAndRecord({ service }: WebhookBench): Promise<void> {
  const known = service.logged.length
  await createContract(service)
  const limit_ms = performance.now() + 10_000
  while (!service.logged.slice(known).some((line) => line.includes('webhook_attempt"'))) {
    if (performance.now() > limit_ms) throw new Error('no attempt was recorded within 10 s')
    await new Promise((resolve) => setImmediate(resolve))
  }
}
