import { Agent } from 'undici'
import { makeSigningKey, sign } from '#webhooks/signature.ts'
import type { Receivers } from './receiver.ts'

/** About 1 KiB, as the deliveries of the benchmarks carry. */
export const bench_body = JSON.stringify({ data: { meta: {}, resource: [{ text: 'x'.repeat(960) }] } })

export interface BarePosts extends AsyncDisposable {
  /** One signed POST over a kept connection; throws unless it is answered with 200. */
  post(event_id: string): Promise<void>
}

/** The least that a webhook costs: the same HTTP client, signature and bytes, and nothing recorded. */
export function openBarePosts(
  { urls, ca }: Pick<Receivers, 'urls' | 'ca'>,
  connections_per_receiver: number,
): BarePosts {
  const agent = new Agent({ connections: connections_per_receiver, allowH2: false, connect: { ca } })
  const key = { label: 'key_bench', key: makeSigningKey() }
  const body = Buffer.from(bench_body)
  const targets = urls.map((url) => new URL(url))
  let sent = 0
  return {
    async post(event_id) {
      const { origin, pathname } = targets[sent++ % targets.length] as URL
      const headers = {
        'content-type': 'application/json',
        'user-agent': 'Stint-Webhooks/bench',
        'accept-encoding': 'identity',
        ...sign(body, [key], { event_id, timestamp_s: Math.floor(Date.now() / 1_000) }),
      }
      const answer = await agent.request({ origin, path: pathname, method: 'POST', headers, body })
      await answer.body.dump()
      if (answer.statusCode !== 200) throw new Error(`the bare request was answered ${answer.statusCode}`)
    },
    [Symbol.asyncDispose]: () => agent.destroy(),
  }
}
