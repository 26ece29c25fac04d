import { fork } from 'node:child_process'
import { once } from 'node:events'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import undici from 'undici/package.json' with { type: 'json' }
import { receiverAuthority, receiverCertificate } from '#test/receiver-certificates.ts'
import { egressPolicy } from '#webhooks/egress/policy.ts'
import { createSender } from '#webhooks/egress/sender.ts'
import { makeSigningKey, prepareKey, sign } from '#webhooks/signature.ts'

// CPU time of this process for one signed POST over keep-alive TLS: through the egress guard, with its full evidence,
// against a bare undici `request` of the same bytes with its body discarded. The receiver runs in its own process.
const ROUNDS = 7
const POSTS_PER_ROUND = 6_000
const WARM_UP_POSTS = 3_000
const CONCURRENCIES = [1, 16, 64]
const GOAL_RATIO = 1.3
const BODY = Buffer.from(JSON.stringify({ data: { meta: {}, resource: [{ text: 'x'.repeat(960) }] } }))

interface ReceiverReady {
  port: number
  ca: string
}

type Post = () => Promise<void>

async function serveAsReceiver() {
  const server = https.createServer(await receiverCertificate('valid', ['localhost']), (request, response) => {
    request.resume()
    request.on('end', () => response.end('ok'))
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A server that listens on a port has an address of that kind.
  const ready: ReceiverReady = { port: (server.address() as AddressInfo).port, ca: (await receiverAuthority()).pem }
  process.send?.(ready)
  process.on('disconnect', () => process.exit())
}

async function measure() {
  const receiver = fork(fileURLToPath(import.meta.url), ['--receiver'])
  const [{ port, ca }] = (await once(receiver, 'message')) as [ReceiverReady]
  const rows = []
  for (const concurrency of CONCURRENCIES) rows.push(await compare(concurrency, port, ca))
  receiver.disconnect()
  report(rows)
}

async function compare(concurrency: number, port: number, ca: string) {
  const key = prepareKey(makeSigningKey())
  const signed = () => ({
    'content-type': 'application/json',
    'user-agent': 'Stint-Webhooks/bench',
    'accept-encoding': 'identity',
    ...sign(BODY, [{ label: 'key_bench', key }], { event_id: '019cadd4-c134-7a0c-8e1f-27b9c3d45e60', timestamp_s: 1 }),
  })
  const pool = new Pool(`https://localhost:${port}`, { connections: concurrency, connect: { ca } })
  const bare: Post = async () => {
    const { statusCode, body } = await pool.request({ path: '/hook', method: 'POST', headers: signed(), body: BODY })
    await body.dump()
    if (statusCode !== 200) throw new Error(`the bare request was answered ${statusCode}`)
  }
  const sender = createSender(egressPolicy({ allowed_networks: ['127.0.0.0/8'], extra_ca: ca }))
  const url = `https://localhost:${port}/hook`
  const guarded: Post = async () => {
    const { outcome, error_detail } = await sender.send({ url, headers: signed(), body: BODY })
    if (outcome !== 'succeeded') throw new Error(`the guarded request failed: ${error_detail}`)
  }

  for (const post of [bare, guarded]) await round(post, WARM_UP_POSTS, concurrency)
  const rounds = []
  for (let index = 0; index < ROUNDS; index++) {
    // Whoever goes first in a round is changed each time.
    const order = index % 2 === 0 ? [bare, guarded] : [guarded, bare]
    const [first, second] = [
      await round(order[0] ?? bare, POSTS_PER_ROUND, concurrency),
      await round(order[1] ?? guarded, POSTS_PER_ROUND, concurrency),
    ]
    rounds.push(index % 2 === 0 ? { bare: first, guarded: second } : { bare: second, guarded: first })
  }
  await pool.destroy()
  sender.close()
  return {
    concurrency,
    bare_us: median(rounds.map(({ bare }) => bare.cpu_us)),
    guarded_us: median(rounds.map(({ guarded }) => guarded.cpu_us)),
    ratio: median(rounds.map(({ bare, guarded }) => guarded.cpu_us / bare.cpu_us)),
    ratio_min: Math.min(...rounds.map(({ bare, guarded }) => guarded.cpu_us / bare.cpu_us)),
    ratio_max: Math.max(...rounds.map(({ bare, guarded }) => guarded.cpu_us / bare.cpu_us)),
    bare_per_s: median(rounds.map(({ bare }) => bare.per_s)),
    guarded_per_s: median(rounds.map(({ guarded }) => guarded.per_s)),
  }
}

async function round(post: Post, posts: number, concurrency: number) {
  let left = posts
  const lane = async () => {
    while (left-- > 0) await post()
  }
  const cpu = process.cpuUsage()
  const started_at_ms = performance.now()
  await Promise.all(Array.from({ length: concurrency }, lane))
  const { user, system } = process.cpuUsage(cpu)
  return { cpu_us: (user + system) / posts, per_s: (posts * 1000) / (performance.now() - started_at_ms) }
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

function report(rows: Awaited<ReturnType<typeof compare>>[]) {
  const rounded = (value: number) => Number(value.toFixed(2))
  const table = rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, rounded(value)])),
  )
  console.table(table)
  const result = {
    benchmark: 'sender',
    unit: 'CPU µs of the sending process per signed POST of 1 KiB, keep-alive TLS',
    method: `${ROUNDS} interleaved rounds of ${POSTS_PER_ROUND} POSTs after ${WARM_UP_POSTS}; medians; receiver in its own process`,
    goal_ratio: GOAL_RATIO,
    versions: { node: process.version, undici: undici.version, cpu: cpus()[0]?.model, cores: cpus().length },
    rows: table,
  }
  console.log(JSON.stringify(result))
}

if (process.argv.includes('--receiver')) await serveAsReceiver()
else await measure()
