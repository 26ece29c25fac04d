import { egressPolicy } from '#outbound/address-rules.ts'
import { createSender } from '#outbound/sender.ts'
import { makeSigningKey, sign } from '#webhooks/signature.ts'
import { bench_body, openBarePosts } from './support/bare-post.ts'
import type { Benchmark, Extent, Outcome, Result } from './support/benchmark.ts'
import { type Receivers, startReceivers } from './support/receiver.ts'
import { measureRounds, ratioOf, rowsOf } from './support/rounds.ts'

const concurrencies = [1, 16, 64]
const event_id = '019cadd4-c134-7a0c-8e1f-27b9c3d45e60'

/** The cost that the egress guard and its full evidence add to a signed POST: part of G1, without a database. */
export const sender: Benchmark = {
  name: 'sender',
  summary: 'CPU of a guarded, fully recorded POST against a bare undici request of the same bytes',
  async run({ rounds, round_ms }: Extent): Promise<Result> {
    await using receivers = await startReceivers(1)
    const rows: Result['rows'] = []
    const outcomes: Outcome[] = []
    for (const concurrency of concurrencies) {
      await using bare = openBarePosts(receivers, concurrency)
      using guarded = openGuardedPosts(receivers)
      const yardstick = { name: `bare, ${concurrency} at once`, pid: process.pid, operate: () => bare.post(event_id) }
      const contender = { name: `guarded, ${concurrency} at once`, pid: process.pid, operate: guarded.post }
      const options = { rounds, round_ms, concurrency, databasePids: () => [] }
      const samples = await measureRounds([yardstick, contender], options)
      const measured = ratioOf(samples, contender, yardstick, 'service_us')
      rows.push(...rowsOf(samples))
      outcomes.push({ goal: '–', what: `CPU, ${concurrency} at once`, measured, unit: '×', at_most: 1.3 })
    }
    return {
      method: `CPU µs of the sending process per signed POST of 1 KiB, keep-alive TLS, receiver in its own process, ${rounds} interleaved rounds of ${round_ms} ms`,
      rows,
      outcomes,
    }
  },
}

function openGuardedPosts({ urls: [url = ''], ca }: Receivers) {
  const guard = createSender(egressPolicy({ allowed_networks: ['127.0.0.0/8'], extra_ca: ca }))
  const key = { label: 'key_bench', key: makeSigningKey() }
  const body = Buffer.from(bench_body)
  return {
    async post() {
      const headers = {
        'content-type': 'application/json',
        'user-agent': 'Stint-Webhooks/bench',
        'accept-encoding': 'identity',
        ...sign(body, [key], { event_id, timestamp_s: Math.floor(Date.now() / 1_000) }),
      }
      const { outcome, error_detail } = await guard.send({ url, headers, body })
      if (outcome !== 'succeeded') throw new Error(`the guarded request failed: ${error_detail}`)
    },
    [Symbol.dispose]: () => guard.close(),
  }
}
