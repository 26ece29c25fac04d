import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import http2 from 'node:http2'
import { join } from 'node:path'
import { test } from 'node:test'
import { Agent, request } from 'undici'
import { clientFor, freePort, startServiceProcess } from '#test/process.ts'
import { dataFolder } from '#test/stint.ts'

/** Text as it comes, and a wait for a pattern in it. */
function reader(stream: AsyncIterable<Buffer | string>) {
  let text = ''
  const chunks = stream[Symbol.asyncIterator]()
  return {
    async until(pattern: RegExp): Promise<string> {
      while (!pattern.test(text)) {
        const { value, done } = await chunks.next()
        assert.ok(!done, `the stream ended before ${pattern}:\n${text}`)
        text += value
      }
      return text
    },
    async end(): Promise<void> {
      while (!(await chunks.next()).done);
    },
  }
}

test('a live tail over HTTPS, by HTTP/1.1 and HTTP/2, hears of a change within seconds and holds no shutdown up', async (t) => {
  const data_dir = await dataFolder(t)
  const service = await startServiceProcess({ data_dir, port: await freePort(), demo: true })
  t.after(() => service.kill('SIGKILL'))
  const client = await clientFor(data_dir, service.token ?? '')
  t.after(() => client.close())
  const ca = await readFile(join(data_dir, 'tls', 'ca.pem'), 'utf8')
  const headers = { authorization: `Bearer ${service.token}`, accept: 'text/event-stream' }
  const path = '/rest/v2/events?start=latest'

  const agent = new Agent({ connect: { ca } })
  t.after(() => agent.destroy())
  const first = await request(`${service.origin}${path}`, { dispatcher: agent, headers })
  assert.equal(first.headers['content-type'], 'text/event-stream')
  const session = http2.connect(service.origin, { ca })
  t.after(() => session.destroy())
  const second = session.request({ ':path': path, ...headers })
  const tails = [reader(first.body), reader(second)]
  for (const tail of tails) await tail.until(/^id: /m)

  const made = await client.call('POST', `${service.origin}/rest/v2/contracts`, {
    type: 'fixed_rate',
    title: 'Followed',
    worker: { first_name: 'Mira', last_name: 'Sato', email: 'mira@example.org', country: 'DE' },
    start_date: new Date().toISOString().slice(0, 10),
    compensation: { amount: '4200.00', currency: 'EUR', frequency: 'monthly' },
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  // The demo's own events may still be on their way, so what is waited for is the event of this contract.
  const told = new RegExp(`^data: (?=.*"event_type":"contract.created").*"${made.body.id}"`, 'm')
  for (const tail of tails) await tail.until(told)

  const stopping = performance.now()
  await Promise.all([service.kill('SIGTERM'), ...tails.map((tail) => tail.end())])
  assert.ok(performance.now() - stopping < 20_000, 'the streams ended by themselves, not by the limit of 30 s')
})
