import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { addresses, type DnsScript, startDnsServer } from '#test/dns-server.ts'
import { createResolver, type ResolverOptions } from './resolver.ts'

async function open(t: TestContext, names: Record<string, DnsScript>, options: ResolverOptions = {}) {
  const dns = await startDnsServer(names)
  const resolver = createResolver({ name_servers: [dns.address], query_timeout_ms: 300, ...options })
  t.after(() => {
    resolver.close()
    return dns.close()
  })
  const found = async (name: string) => {
    const answer = await resolver.resolve(name)
    return 'code' in answer ? answer.code : answer.addresses
  }
  return { dns, resolver, found }
}

test('both families are asked, IPv4 comes first', async (t) => {
  const { found, dns } = await open(t, { 'a.test': addresses(['2606:4700::1111', '8.8.8.8', '8.8.4.4']) })
  assert.deepEqual(await found('a.test'), ['8.8.8.8', '8.8.4.4', '2606:4700::1111'])
  assert.deepEqual(dns.queries.toSorted(), ['A a.test', 'AAAA a.test'])
})

test('an answer is kept no longer than 5 s and no longer than its TTL', async (t) => {
  const { resolver } = await open(t, {
    'long.test': addresses(['8.8.8.8'], 86_400),
    'short.test': addresses(['8.8.8.8'], 2),
  })
  for (const [name, kept_ms] of [
    ['long.test', 5_000],
    ['short.test', 2_000],
  ] as const) {
    const before_ms = performance.now()
    const answer = await resolver.resolve(name)
    assert.ok('addresses' in answer)
    assert.ok(answer.expires_at_ms > before_ms && answer.expires_at_ms <= performance.now() + kept_ms)
    assert.equal(resolver.peek(name), answer)
  }
})

test('a kept answer costs no query, an expired one does', async (t) => {
  const { found, dns } = await open(t, { 'a.test': addresses(['8.8.8.8'], 60) }, { answer_kept_ms_max: 0 })
  await found('a.test')
  await found('a.test')
  assert.equal(dns.queries.length, 4)
  const { found: keep, dns: asked } = await open(t, { 'a.test': addresses(['8.8.8.8'], 60) })
  await keep('a.test')
  await keep('a.test')
  assert.equal(asked.queries.length, 2)
})

test('TTL 0 is asked again each time and its changes are seen', async (t) => {
  const script: DnsScript = { kind: 'sequence', answers: [addresses(['8.8.8.8'], 0), addresses(['10.0.0.1'], 0)] }
  const { found, resolver } = await open(t, { 'a.test': script })
  assert.deepEqual(await found('a.test'), ['8.8.8.8'])
  assert.equal(resolver.peek('a.test'), null)
  assert.deepEqual(await found('a.test'), ['10.0.0.1'])
})

test('attempts that ask for one name at once share the queries', async (t) => {
  const { found, dns } = await open(t, { 'a.test': addresses(['8.8.8.8']) })
  await Promise.all(Array.from({ length: 20 }, () => found('a.test')))
  assert.equal(dns.queries.length, 2)
})

test('at most names_max answers are kept', async (t) => {
  const names = ['a.test', 'b.test', 'c.test']
  const { found, resolver } = await open(t, Object.fromEntries(names.map((name) => [name, addresses(['8.8.8.8'])])), {
    names_max: 2,
  })
  for (const name of names) await found(name)
  assert.deepEqual(
    names.map((name) => resolver.peek(name) !== null),
    [false, true, true],
  )
})

test('localhost and names below it are loopback and never asked for', async (t) => {
  const { found, dns } = await open(t, { localhost: addresses(['8.8.8.8']) })
  for (const name of ['localhost', 'a.localhost']) assert.deepEqual(await found(name), ['127.0.0.1', '::1'])
  assert.deepEqual(dns.queries, [])
})

const FAILURES: [name: string, script: DnsScript, code: string][] = [
  ['a name that does not exist', { kind: 'nxdomain' }, 'ENOTFOUND'],
  ['a name without addresses', { kind: 'addresses' }, 'ENODATA'],
  ['a server that fails', { kind: 'servfail' }, 'ESERVFAIL'],
  ['a server that is silent', { kind: 'silent' }, 'ETIMEOUT'],
]

for (const [name, script, code] of FAILURES)
  test(`${name} is ${code} within the query timeout, and is not kept`, async (t) => {
    const { found, resolver } = await open(t, { 'a.test': script })
    const started_at_ms = performance.now()
    assert.equal(await found('a.test'), code)
    assert.ok(performance.now() - started_at_ms < 2_500)
    assert.equal(resolver.peek('a.test'), null)
  })

for (const silent_for of ['A', 'AAAA'] as const)
  test(`a name server that is silent about ${silent_for} records only costs a moment`, async (t) => {
    const script: DnsScript = { kind: 'addresses', a: ['8.8.8.8'], aaaa: ['2606:4700::1111'], silent_for }
    const { found } = await open(t, { 'a.test': script }, { query_timeout_ms: 5_000 })
    const started_at_ms = performance.now()
    assert.deepEqual(await found('a.test'), [silent_for === 'A' ? '2606:4700::1111' : '8.8.8.8'])
    assert.ok(performance.now() - started_at_ms < 4_000)
  })

test('a name server that is not there is a failure, not an exception', async () => {
  const dns = await startDnsServer()
  await dns.close()
  const resolver = createResolver({ name_servers: [dns.address], query_timeout_ms: 300 })
  const answer = await resolver.resolve('a.test')
  assert.ok('code' in answer)
  resolver.close()
})
