import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { addresses, type DnsScript, startDnsServer } from '#test/dns-server.ts'
import { startReceiver } from '#test/receiver.ts'
import { openSenderBench, type SenderBenchOptions, watchConnects } from '#test/sender-bench.ts'
import { HOST_CASES, OWN_HOST, TEXT_CASES } from '#test/url-cases.ts'
import { egressPolicy } from './address-rules.ts'
import { createResolver } from './resolver.ts'
import { createSender } from './sender.ts'

const request = { headers: {}, body: Buffer.from('{}') }

for (const { name, url } of [...TEXT_CASES, ...HOST_CASES])
  test(`${name} at connect time: ${JSON.stringify(url.slice(0, 60))} is blocked before a packet`, async (t) => {
    const sender = createSender(egressPolicy({ own_hosts: [OWN_HOST] }))
    t.after(() => sender.close())
    const connects = watchConnects(t)
    const result = await sender.send({ ...request, url })
    assert.equal(result.error_class, 'blocked_address')
    assert.equal(result.outcome, 'failed')
    assert.equal(result.resolved_ip, null)
    assert.deepEqual(connects, [])
  })

/** Long enough for an answer on a machine whose processors are busy, and short beside the deadline of an attempt. */
const query_timeout_ms = 1_000

async function openWithDns(t: TestContext, names: Record<string, DnsScript>, options: SenderBenchOptions = {}) {
  const dns = await startDnsServer(names)
  const resolver = createResolver({ name_servers: [dns.address], query_timeout_ms })
  t.after(() => {
    resolver.close()
    return dns.close()
  })
  const bench = await openSenderBench(t, {
    ...options,
    receiver: { names: Object.keys(names), ...options.receiver },
    sender: { resolver, ...options.sender },
  })
  return { ...bench, dns, urlOf: (name: string) => `https://${name}:${bench.receiver.port}/hook` }
}

const REFUSED: [name: string, host: string, script: DnsScript][] = [
  ['label that spells a private address', '10.0.0.1.rebind.test', addresses(['10.0.0.1'])],
  ['CNAME to a private name', 'alias.test', { kind: 'addresses', a: ['192.168.1.1'], cname: 'db.internal' }],
  ['metadata service', 'metadata.test', addresses(['169.254.169.254'])],
  ['IPv6 loopback and unique local', 'six.test', addresses(['::1', 'fd00::1', '::ffff:10.0.0.1'])],
]

for (const [name, host, script] of REFUSED)
  test(`url.dns ${name}: blocked_address, nothing contacted, no address in the result`, async (t) => {
    const { send, urlOf } = await openWithDns(t, { [host]: script })
    const connects = watchConnects(t)
    const result = await send({ url: urlOf(host) })
    assert.equal(result.error_class, 'blocked_address')
    assert.equal(result.resolved_ip, null)
    assert.ok(result.dns_ms !== null)
    assert.doesNotMatch(JSON.stringify(result), /10\.0\.0\.1|192\.168|169\.254|fd00/)
    assert.deepEqual(connects, [])
  })

test('url.dns mixed set: only the permitted address is contacted', async (t) => {
  const host = 'mixed.test'
  const set = ['10.0.0.1', '127.0.0.1', '169.254.169.254', 'fd00::1']
  const { send, urlOf, receiver } = await openWithDns(t, { [host]: addresses(set) })
  const connects = watchConnects(t)
  const result = await send({ url: urlOf(host) })
  assert.equal(result.outcome, 'succeeded')
  assert.equal(result.resolved_ip, '127.0.0.1')
  assert.deepEqual(connects, [`127.0.0.1:${receiver.port}`])
})

test('url.dns a name that also leads to a port of ours is blocked whole, from the moment that it is ours', async (t) => {
  const own_ports = new Set<number>()
  const names = { 'shared.test': addresses(['127.0.0.1', '93.184.215.14'], 0) }
  const { send, urlOf, receiver } = await openWithDns(t, names, { settings: { own_ports } })
  assert.equal((await send({ url: urlOf('shared.test') })).outcome, 'succeeded')
  own_ports.add(receiver.port)
  const connects = watchConnects(t)
  const { error_class, addresses: contacted } = await send({ url: urlOf('shared.test') })
  assert.deepEqual([error_class, contacted, connects], ['blocked_address', [], []])
})

test('url.dns TTL 0: permitted at first and private at the attempt is blocked, although a connection is idle', async (t) => {
  const host = 'rebind.test'
  const script: DnsScript = { kind: 'sequence', answers: [addresses(['127.0.0.1'], 0), addresses(['10.0.0.1'], 0)] }
  const { send, urlOf, receiver, sender } = await openWithDns(t, { [host]: script })
  assert.equal((await send({ url: urlOf(host) })).outcome, 'succeeded')
  assert.equal(sender.connections.idle, 1)
  const connects = watchConnects(t)
  const result = await send({ url: urlOf(host) })
  assert.equal(result.error_class, 'blocked_address')
  assert.deepEqual(connects, [])
  assert.equal(receiver.requests.length, 1)
})

const UNRESOLVED: [name: string, script: DnsScript, detail: RegExp][] = [
  ['no answer', { kind: 'silent' }, /ETIMEOUT/],
  ['NXDOMAIN', { kind: 'nxdomain' }, /ENOTFOUND/],
  ['empty answer', { kind: 'addresses' }, /ENODATA/],
  ['server failure', { kind: 'servfail' }, /ESERVFAIL/],
]

for (const [name, script, detail] of UNRESOLVED)
  test(`url.dns ${name}: class dns in phase dns, a counted failure`, async (t) => {
    const { send, urlOf } = await openWithDns(t, { 'gone.test': script })
    const result = await send({ url: urlOf('gone.test') })
    assert.equal(result.error_class, 'dns')
    assert.equal(result.error_phase, 'dns')
    assert.equal(result.outcome, 'failed')
    assert.match(result.error_detail ?? '', detail)
    assert.ok(result.total_ms < 4_000, `${result.total_ms} ms`)
  })

test('a deadline that ends during DNS is class dns, on time', async (t) => {
  const { send, urlOf } = await openWithDns(t, { 'slow.test': { kind: 'silent' } })
  const result = await send({ url: urlOf('slow.test'), deadline_ms: 100 })
  assert.equal(result.error_class, 'dns')
  assert.ok(result.total_ms >= 99 && result.total_ms < query_timeout_ms, `${result.total_ms} ms`)
})

test('the name travels in SNI, certificate check and Host, while the connection is made by address', async (t) => {
  const server_names: unknown[] = []
  const behaviour: NonNullable<SenderBenchOptions['receiver']>['behaviour'] = (socket) => {
    // Every socket of an https receiver is a TLSSocket.
    server_names.push((socket as import('node:tls').TLSSocket).servername)
    socket.write('HTTP/1.1 204 No Content\r\n\r\n')
  }
  const { send, urlOf, receiver } = await openWithDns(
    t,
    { 'hook.test': addresses(['127.0.0.1']) },
    { receiver: { behaviour } },
  )
  const connects = watchConnects(t)
  assert.equal((await send({ url: urlOf('hook.test') })).outcome, 'succeeded')
  assert.deepEqual(server_names, ['hook.test'])
  assert.equal(receiver.requests[0]?.headers.host, `hook.test:${receiver.port}`)
  assert.deepEqual(connects, [`127.0.0.1:${receiver.port}`])
})

test('a name with the certificate of another one is refused, even at a permitted address', async (t) => {
  const { send, urlOf } = await openWithDns(
    t,
    { 'mine.test': addresses(['127.0.0.1']) },
    { receiver: { names: ['other.test'] } },
  )
  assert.equal((await send({ url: urlOf('mine.test') })).error_class, 'tls_certificate')
})

for (const host of ['localhost', '127.0.0.1'])
  test(`a receiver at ${host} works once 127.0.0.0/8 is opened, and not before`, async (t) => {
    const { send, receiver, sender } = await openSenderBench(t)
    const url = `https://${host}:${receiver.port}/hook`
    const result = await send({ url })
    assert.equal(result.outcome, 'succeeded')
    assert.equal(result.resolved_ip, '127.0.0.1')
    assert.equal(result.dns_ms, null)
    assert.equal(receiver.requests[0]?.headers.host, `${host}:${receiver.port}`)
    const closed = createSender(egressPolicy({ extra_ca: receiver.ca }))
    t.after(() => closed.close())
    assert.equal((await closed.send({ ...request, url })).error_class, 'blocked_address')
    assert.equal(sender.connections.open, 1)
  })

test('plain http reaches loopback with its setting only', async (t) => {
  const receiver = await startReceiver({ transport: 'http' })
  const sender = createSender(egressPolicy({ allow_loopback_http: true }))
  t.after(async () => {
    sender.close()
    await receiver.close()
  })
  const result = await sender.send({ ...request, url: receiver.url })
  assert.equal(result.outcome, 'succeeded')
  assert.equal(result.tls_version, null)
  assert.equal(result.tls_ms, null)
  assert.ok(result.connect_ms !== null)
})

test('a dead address costs the address timeout, then the next one is tried', async (t) => {
  const { send, urlOf, receiver } = await openWithDns(
    t,
    { 'two.test': addresses(['127.0.0.2', '127.0.0.1']) },
    { sender: { address_timeout_ms: 150 } },
  )
  const silent = await startReceiver({ transport: 'http', takeOver: () => {}, host: '127.0.0.2', port: receiver.port })
  t.after(() => silent.close())
  const connects = watchConnects(t)
  const result = await send({ url: urlOf('two.test') })
  assert.equal(result.outcome, 'succeeded')
  assert.equal(result.resolved_ip, '127.0.0.1')
  assert.ok(result.total_ms >= 149, `${result.total_ms} ms`)
  assert.deepEqual(connects, [`127.0.0.2:${receiver.port}`, `127.0.0.1:${receiver.port}`])
  const [dead, taken] = result.addresses
  assert.ok(dead && taken?.connect_ms && taken.tls_ms && dead.connect_ms, 'both were connected to')
  const words = 'no connection within 150 ms'
  assert.deepEqual([dead.address, dead.error_class, dead.error_detail], ['127.0.0.2', 'timeout', words])
  assert.deepEqual([dead.tls_ms, dead.tls_version, dead.connection_reused], [null, null, false])
  assert.deepEqual([taken.address, taken.error_class, taken.tls_version], ['127.0.0.1', null, 'TLSv1.3'])
  assert.ok(
    dead.ended_ms - dead.started_ms >= 149 && taken.started_ms >= dead.ended_ms,
    JSON.stringify(result.addresses),
  )
  const { connect_ms, tls_ms, connection_reused } = result
  assert.deepEqual({ ...taken, connect_ms, tls_ms, connection_reused }, taken, 'the attempt tells of the last one')
})

test('the last address has all the remaining time', async (t) => {
  const { send, urlOf, receiver } = await openWithDns(
    t,
    { 'two.test': addresses(['127.0.0.1', '127.0.0.2']) },
    { sender: { address_timeout_ms: 100 }, receiver: { takeOver: () => {}, transport: 'http' } },
  )
  const silent = await startReceiver({ transport: 'http', takeOver: () => {}, host: '127.0.0.2', port: receiver.port })
  t.after(() => silent.close())
  const result = await send({ url: urlOf('two.test'), deadline_ms: 500 })
  assert.equal(result.error_class, 'timeout')
  assert.equal(result.error_phase, 'tls')
  assert.equal(result.resolved_ip, '127.0.0.2')
  assert.ok(result.total_ms >= 499, `${result.total_ms} ms`)
  const tried = result.addresses.map(({ address, error_class }) => [address, error_class])
  assert.deepEqual(tried, [
    ['127.0.0.1', 'timeout'],
    ['127.0.0.2', 'timeout'],
  ])
})

test('an address that refuses is followed by the next one at once', async (t) => {
  const { send, urlOf } = await openWithDns(t, { 'two.test': addresses(['127.0.0.2', '127.0.0.1']) })
  const result = await send({ url: urlOf('two.test') })
  assert.deepEqual([result.addresses.length, result.addresses[0]?.error_class], [2, 'connect_refused'])
  assert.equal(result.outcome, 'succeeded')
  assert.equal(result.resolved_ip, '127.0.0.1')
})

test('one hanging name server delays nobody else', async (t) => {
  const { send, urlOf } = await openWithDns(t, {
    'quick.test': addresses(['127.0.0.1']),
    'hung.test': { kind: 'silent' },
  })
  let given_up = 0
  const hung = Array.from({ length: 50 }, () => send({ url: urlOf('hung.test') }).finally(() => (given_up += 1)))
  const result = await send({ url: urlOf('quick.test') })
  assert.deepEqual([result.outcome, given_up], ['succeeded', 0])
  for (const { error_class } of await Promise.all(hung)) assert.equal(error_class, 'dns')
})
