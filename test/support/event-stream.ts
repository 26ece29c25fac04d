import type { TestContext } from 'node:test'
import { createRateLimit } from '#core/rate-limit.ts'
import { createHttpServer } from '#surfaces/http-server.ts'
import { mountRest } from '#surfaces/rest/rest.ts'
import type { TestService } from './service.ts'

/** One event as a browser would dispatch it (WHATWG HTML, section 9.2.6). */
export interface ServerSentEvent {
  event: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape
  data: any
  id: string
}

export interface EventStreamClient {
  readonly status: number
  readonly headers: Headers
  /** The last id, also of those that came without an event. */
  readonly last_id: string
  /** Waits for so many further comments. */
  takeComments(count: number): Promise<ServerSentEvent[]>
  /** Waits for so many further events. */
  take(count: number): Promise<ServerSentEvent[]>
  /** Waits for the end and answers what came until then. */
  rest(): Promise<ServerSentEvent[]>
  close(): void
}

const limit_ms = 60_000

/** Opens a stream and reads it by the rules of its own specification. */
export async function openEventStream(
  url: string,
  token: string,
  headers: Record<string, string> = {},
): Promise<EventStreamClient> {
  const ending = new AbortController()
  const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(limit_ms)])
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream', ...headers },
    signal,
  })
  let last_id = ''
  async function* events(): AsyncGenerator<ServerSentEvent> {
    let fields: Record<string, string> = {}
    for await (const line of linesOf(response)) {
      const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
      if (line === '') {
        last_id = fields.id ?? last_id
        const { data, event = 'message' } = fields
        if (data !== undefined) yield { event, data: JSON.parse(data), id: last_id }
        fields = {}
      } else if (name === '') yield { event: 'comment', data: value, id: last_id }
      else fields[name] = value
    }
  }
  const coming = events()
  const takeOf = async (count: number, isWanted: (event: ServerSentEvent) => boolean) => {
    const taken: ServerSentEvent[] = []
    while (taken.length < count) {
      const { value, done } = await coming.next()
      if (done) break
      if (isWanted(value)) taken.push(value)
    }
    return taken
  }
  const take = (count: number) => takeOf(count, ({ event }) => event !== 'comment')
  return {
    status: response.status,
    headers: response.headers,
    get last_id() {
      return last_id
    },
    takeComments: (count) => takeOf(count, ({ event }) => event === 'comment'),
    take,
    rest: () => take(Number.POSITIVE_INFINITY),
    close: () => ending.abort(),
  }
}

async function* linesOf(response: Response): AsyncGenerator<string> {
  let text = ''
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    const lines = text.split('\n')
    text = lines.pop() ?? ''
    yield* lines
  }
}

/** The REST API of a service on a port of its own, which looks for news many times a second. */
export async function useListeningRest(t: TestContext, service: TestService, heartbeat_every_ms = 15_000) {
  const now = () => service.clock.now()
  const rule = { requests_max: 1_000_000, window_s: 60, now }
  const addresses = { base_url: '', problem_base: service.runtime.problem_base, resource_metadata: '' }
  const app = createHttpServer({ addresses, hsts_max_age_s: 0, now })
  mountRest(app, {
    runtime: service.runtime,
    addresses,
    name: 'rest',
    authenticate: ({ headers, client_address }) => service.authenticate(headers.authorization, client_address),
    limits: { requests: createRateLimit('requests', rule), failures: createRateLimit('failures', rule) },
    look_every_ms: 20,
    heartbeat_every_ms,
  })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const clients: EventStreamClient[] = []
  t.after(async () => {
    for (const client of clients) client.close()
    const closed = app.close()
    app.server.closeAllConnections()
    await closed
  })
  const open = async (path: string, token = service.organization.token, headers: Record<string, string> = {}) => {
    const client = await openEventStream(`${origin}${path}`, token, headers)
    clients.push(client)
    return client
  }
  return { app, origin, open }
}
