import type { InjectOptions } from 'fastify'
import { createStint } from '#sdk/client.ts'
import type { StintOptions } from '#sdk/transport.ts'
import type { TestService } from './service.ts'

export type Fetch = NonNullable<StintOptions['fetch']>

/** One request of a client as it left. */
export interface SentRequest {
  method: string
  url: string
  headers: Headers
  body: string | undefined
}

/** Carries the requests of a client to a service in this process. */
export function fetchFrom({ app }: Pick<TestService, 'app'>): Fetch {
  return async (url, { method, headers, body }) => {
    const answer = await app.inject({
      method: method as NonNullable<InjectOptions['method']>,
      url: url.slice(new URL(url).origin.length),
      headers: Object.fromEntries(new Headers(headers)),
      ...(typeof body === 'string' && { payload: body }),
    })
    const came = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)])
    const text = [204, 304].includes(answer.statusCode) ? null : new Uint8Array(answer.rawPayload)
    return new Response(text, { status: answer.statusCode, headers: came })
  }
}

/** A client of a service in this process, which keeps what it sent and how long it waited between its tries. */
export function sdkOf(service: TestService, options: Partial<StintOptions> = {}) {
  const sent: SentRequest[] = []
  const waited_ms: number[] = []
  const carry = options.fetch ?? fetchFrom(service)
  const stint = createStint({
    base_url: 'https://stint.test',
    token: service.organization.token,
    sleep: async (time_ms) => void waited_ms.push(time_ms),
    ...options,
    fetch: (url, init) => {
      const { method = '', headers, body } = init
      sent.push({ method, url, headers: new Headers(headers), body: typeof body === 'string' ? body : undefined })
      return carry(url, init)
    },
  })
  return { stint, sent, waited_ms }
}
