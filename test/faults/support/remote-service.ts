import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { InjectOptions } from 'fastify'
import { Agent, request } from 'undici'
import { type Injected, type OAuthService, type SignedIn, signIn } from '#test/oauth.ts'
import type { FaultBench } from './fault-bench.ts'

export interface RemoteService extends OAuthService {
  origin: string
}

/** The API processes of a bench as the helpers for OAuth call a service, over HTTPS; and a member of its organization. */
export async function openRemoteServices(
  t: TestContext,
  { folder, client, base, database, api, workers }: FaultBench,
): Promise<{ services: RemoteService[]; user: SignedIn }> {
  const agent = new Agent({ connect: { ca: await readFile(join(folder, 'tls', 'ca.pem'), 'utf8') }, connections: 16 })
  t.after(() => agent.destroy())
  const { body } = await client.call('GET', `${base}/organizations`)
  const services = [api, ...workers].map(({ origin }) => ({
    origin,
    app: { inject: (options: InjectOptions) => send(agent, origin, options) },
    database: { database },
    clock: { now: Date.now },
    organization: { id: String(body.data[0].id) },
  }))
  const [first] = services
  if (!first) throw new Error('the bench has no API')
  return { services, user: await signIn(first) }
}

async function send(agent: Agent, origin: string, { method = 'GET', url, headers, payload }: InjectOptions) {
  const answer = await request(`${origin}${String(url)}`, {
    // The cast holds because the helpers send texts, and methods and headers in the form that both libraries take.
    ...({ method, headers, body: payload ?? null } as Parameters<typeof request>[1]),
    dispatcher: agent,
  })
  const body = await answer.body.text()
  // The cast holds because answers are read by status, headers, text and JSON only.
  return {
    statusCode: answer.statusCode,
    headers: answer.headers,
    body,
    json: () => JSON.parse(body),
  } as Injected
}
