import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { freePort, type ServiceProcess, startServiceProcess } from '#test/process.ts'
import { stint } from '#test/stint.ts'
import { verifyWebhook } from '../sdk/src/webhooks.ts'

const program = new URL('./stint.js', import.meta.url).pathname
const limit_ms = 60_000

let folder: string
let port: number
let service: ServiceProcess
let environment: Record<string, string>

const startService = (demo = false) =>
  startServiceProcess({
    ...{ data_dir: join(folder, 'data'), port, demo },
    environment: { WEBHOOK_ALLOW_LOOPBACK_HTTP: 'true' },
  })

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stint-listen-'))
  port = await freePort()
  service = await startService(true)
  environment = { XDG_CONFIG_HOME: join(folder, 'config') }
  const words = ['login', '--url', service.origin, '--ca-file', join(folder, 'data', 'tls', 'ca.pem'), '--token-stdin']
  const ran = await stint(words, environment, service.token ?? '')
  assert.equal(ran.status, 0, ran.error)
  // Events of the demo get their places in the feed up to a second after it: no listener may take them for its own.
  const last = await makeTeam('Last of the set-up')
  for (let told = ''; !told.includes(last); ) told = JSON.stringify(await call('events', 'list', '--all'))
})
after(async () => {
  await service.kill('SIGTERM')
  await rm(folder, { recursive: true, force: true })
})

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
async function call(...words: string[]): Promise<any> {
  const { status, out, error } = await stint([...words, '--json'], environment)
  assert.equal(status, 0, `${words.join(' ')}: ${error}`)
  return JSON.parse(out)
}

const makeTeam = async (name: string): Promise<string> => (await call('teams', 'create', '--name', name)).id

interface Listening {
  child: ChildProcess
  key: string
  told(): string
  said(pattern: RegExp): Promise<void>
  end(): Promise<{ status: number; cursor: string }>
}

/** Runs `stint listen` as a person would, until it says that it forwards. */
async function listen(t: TestContext, ...words: string[]): Promise<Listening> {
  const child = spawn(process.execPath, [program, 'listen', ...words], {
    env: { PATH: process.env.PATH ?? '', ...environment },
  })
  t.after(() => child.kill('SIGKILL'))
  const closed = once(child, 'close')
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      text += chunk
      child.emit('printed')
    })
  }
  const said = async (pattern: RegExp) => {
    const signal = AbortSignal.timeout(limit_ms)
    while (!pattern.test(text)) {
      await once(child, 'printed', { signal }).catch(() => assert.fail(`${pattern} was not said:\n${text}`))
    }
  }
  await said(/signing key of your receiver: \S+\n/)
  return {
    child,
    key: /receiver: (\S+)/.exec(text)?.[1] ?? '',
    told: () => text,
    said,
    async end() {
      child.kill('SIGINT')
      const [status] = await closed
      return { status, cursor: /--from (\S+)/.exec(text)?.[1] ?? '' }
    },
  }
}

interface Received {
  event_type: string
  event_id: string
  is_simulation: boolean
  /** Id of the first thing that it is about. */
  subject: string
}

/** A receiver as the guide describes one: it takes what both signatures are right of, and tells in which order it came. */
function createReceiver(t: TestContext, receiver_port: number, statusOf: (event: Received) => number = () => 200) {
  const received: Received[] = []
  const waiting: { count: number; resolve(): void }[] = []
  let server: Server | undefined
  let key = ''
  t.after(() => server?.close())
  return {
    url: `http://127.0.0.1:${receiver_port}/hook`,
    received,
    async start(signing_key: string) {
      key = signing_key
      server = createServer(async (request, response) => {
        const body = Buffer.concat(await request.toArray())
        for (const scheme of ['standard', 'service'] as const)
          await verifyWebhook(body, request.headers, key, { scheme })
        const { event_type, event_id, is_simulation, resource } = await verifyWebhook(body, request.headers, key)
        const subject = String(Object.values(resource[0] ?? {})[0])
        const event = { event_type, event_id, is_simulation, subject }
        received.push(event)
        response.writeHead(statusOf(event)).end()
        for (const one of waiting) if (received.length >= one.count) one.resolve()
      }).listen(receiver_port, '127.0.0.1')
      await once(server, 'listening')
    },
    async stop() {
      server?.closeAllConnections()
      await new Promise((resolve) => server?.close(resolve))
    },
    async until(count: number) {
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.push({ count, resolve })
      if (received.length >= count) resolve()
      const late = once(AbortSignal.timeout(limit_ms), 'abort').then(() =>
        assert.fail(`${received.length} of ${count} came`),
      )
      await Promise.race([promise, late])
    },
  }
}

test('every event comes once, in order and rightly signed, though receiver and service go down and come back', async (t) => {
  const receiver = createReceiver(t, await freePort())
  const listening = await listen(t, '--forward-to', receiver.url, '--events', 'team.created')
  await receiver.start(listening.key)
  const teams = [await makeTeam('One')]
  await receiver.until(1)
  // An answer that was lost with its connection would bring the event again, as it should.
  await listening.said(/ 200 in /)

  await receiver.stop()
  teams.push(await makeTeam('Two'), await makeTeam('Three'))
  await listening.said(/nothing listens there \(ECONNREFUSED\).*again in 1 s/)
  await service.kill('SIGKILL')
  service = await startService()
  teams.push(await makeTeam('Four'))
  await receiver.start(listening.key)
  await receiver.until(4)

  await service.kill('SIGTERM')
  await listening.said(/the connection is lost/)
  service = await startService()
  await listening.said(/connected again; nothing is missed/)
  teams.push(await makeTeam('Five'))
  await receiver.until(5)

  const { status, cursor } = await listening.end()
  assert.equal(status, 0, listening.told())
  assert.match(listening.told(), /^Forwarded 5\.$/m)
  teams.push(await makeTeam('Six'))
  const again = await listen(t, '--forward-to', receiver.url, '--events', 'team.created', '--from', cursor)
  assert.equal(again.key, listening.key, 'the key stays, so that the settings of the receiver do')
  await receiver.until(6)
  assert.equal((await again.end()).status, 0)
  assert.deepEqual(
    receiver.received.map(({ subject }) => subject),
    teams,
  )
  assert.equal(new Set(receiver.received.map(({ event_id }) => event_id)).size, teams.length)
})

test('an event that is refused comes again, then is left and named, and the next ones come', async (t) => {
  const refused: string[] = []
  const receiver = createReceiver(t, await freePort(), ({ subject }) => (refused[0] === subject ? 500 : 204))
  const listening = await listen(t, '--forward-to', receiver.url, '--events', 'team.created', '--tries', '2', '--json')
  await receiver.start(listening.key)
  // The receiver learns which one to refuse before it can come.
  await receiver.stop()
  const teams = [await makeTeam('Refused')]
  refused.push(teams[0] ?? '')
  await receiver.start(listening.key)
  teams.push(await makeTeam('Taken'))
  await receiver.until(3)
  await listening.said(/"status":204/)
  await listening.end()
  const subjects = receiver.received.map(({ subject }) => subject)
  assert.deepEqual(subjects, [teams[0], teams[0], teams[1]])
  const lines = listening.told().matchAll(/^\{.*\}$/gm)
  // While nothing listened an attempt may have been made, which is no answer and does not count.
  const tries = [...lines].map(([line]) => JSON.parse(line)).filter(({ status }) => status !== null)
  assert.deepEqual(
    tries.map(({ status, again_in_ms }) => [status, again_in_ms !== null]),
    [
      [500, true],
      [500, false],
      [204, false],
    ],
  )
  assert.match(listening.told(), /^Forwarded 1, left 1: team\.created \S+\.$/m)
})

test('simulations of a subscription are forwarded too, with their mark and the body that it got', async (t) => {
  const receiver = createReceiver(t, await freePort())
  const { id } = await call(
    'webhooks',
    'create',
    '--url',
    'https://receiver.example.org/hook',
    '--events',
    'contract.signed',
  )
  const listening = await listen(t, '--forward-to', receiver.url, '--webhook', id)
  await receiver.start(listening.key)
  const { event_id } = await call('trigger', 'contract.signed', '--webhook', id)
  await receiver.until(1)
  const [simulated] = receiver.received
  assert.deepEqual(
    [simulated?.event_id, simulated?.event_type, simulated?.is_simulation],
    [event_id, 'contract.signed', true],
  )
  await listening.said(/contract\.signed \(simulation\) .* 200 in/)
  assert.equal((await listening.end()).status, 0)
})

test('a subscription is simulated to, its deliveries are seen, and sent once more one by one or all of a time', async (t) => {
  const receiver = createReceiver(t, await freePort())
  const since = new Date().toISOString()
  const made = await call('webhooks', 'create', '--url', receiver.url, '--events', 'team.created')
  const { id } = made
  await receiver.start(made.signing_key)
  await makeTeam('Delivered')
  await receiver.until(1)
  const ended = async () => {
    for (;;) {
      const [delivery] = (await call('webhooks', 'deliveries', id, '--origins', 'event')).data
      if (delivery.completed_at !== null) return delivery
    }
  }
  const delivery = await ended()
  assert.equal(delivery.status, 'succeeded')
  assert.equal((await call('deliveries', 'show', id, delivery.id)).attempts.length, 1)
  assert.equal((await call('webhooks', 'redeliver', id, delivery.id)).origin, 'redelivery')
  await receiver.until(2)
  await call('webhooks', 'replay', id, '--since', since, '--statuses', 'succeeded')
  await receiver.until(3)
  assert.deepEqual(new Set(receiver.received.map(({ event_id }) => event_id)), new Set([delivery.event_id]))
  assert.equal((await call('webhooks', 'simulate', id, '--event-type', 'team.created')).is_simulation, true)
  await receiver.until(4)
  const shown = await stint(['webhooks', 'deliveries', id, '--event-types', 'team.created'], environment)
  assert.match(shown.out, /^ID .*EVENT_TYPE[\s\S]*team\.created/, shown.error)
  await call('webhooks', 'update', id, '--status', 'disabled')
  assert.equal((await call('webhooks', 'enable', id)).status, 'active')
})

test('wrong calls are refused before anything is forwarded', async () => {
  for (const [words, status, error] of [
    [[], 2, /--forward-to is missing/],
    [['--forward-to', 'http://other.example/hook'], 2, /is another machine: https only/],
    [['--forward-to', 'ftp://localhost/'], 2, /is no address/],
    [['--forward-to', 'http://localhost:1', '--tries', '0'], 2, /--tries must be a whole number/],
    [['--forward-to', 'http://localhost:1', '--key', 'secret'], 2, /--key must be whsec_/],
    [['--forward-to', 'http://localhost:1', '--events', 'team.made'], 3, /team\.made/],
    [['--forward-to', 'http://localhost:1', '--from', 'nowhere'], 3, /invalid_cursor/],
  ] as const) {
    const ran = await stint(['listen', ...words], environment)
    assert.deepEqual([ran.status, error.test(ran.error)], [status, true], ran.error)
  }
})

test('events are printed as they come, from any place on', async (t) => {
  const id = await makeTeam('Told')
  const child = spawn(process.execPath, [program, 'events', 'tail', '--from', 'oldest', '--events', 'team.created'], {
    env: { PATH: process.env.PATH ?? '', ...environment },
  })
  t.after(() => child.kill('SIGKILL'))
  for await (const chunk of child.stdout)
    if (String(chunk).includes(`team.created`) && String(chunk).includes(id)) break
  child.kill('SIGINT')
  if (child.exitCode === null) await once(child, 'exit')
  assert.equal(child.exitCode, 0)
})

test('a signature is checked against the body that is piped in', async () => {
  const { createHmac } = await import('node:crypto')
  const meta = { event_type: 'team.created', event_id: 'e', organization_id: 'o', occurred_at: 'now' }
  const body = JSON.stringify({ data: { meta, resource: [] }, timestamp: 'now' })
  const key = `whsec_${Buffer.alloc(32).toString('base64')}`
  const signature = createHmac('sha256', key).update(`POST${body}`).digest('hex')
  const good = await stint(['verify', '--key', key, '--signature', signature], {}, body)
  assert.deepEqual([good.status, good.out], [0, 'valid: team.created e\n'])
  const changed = await stint(['verify', '--key', key, '--signature', signature], {}, `${body}\n`)
  assert.deepEqual([changed.status, changed.out.startsWith('not valid: ')], [1, true], changed.out)
})
