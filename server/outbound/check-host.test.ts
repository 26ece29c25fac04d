import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addresses, type DnsScript, startDnsServer } from '#test/dns-server.ts'
import { egressPolicy } from './address-rules.ts'
import { createResolver } from './resolver.ts'
import { checkHost, checkUrl, HOST_CHECK_MS } from './url-rules.ts'

const CASES: [name: string, host: string, script: DnsScript, expected: string][] = [
  ['a public name', 'good.example', addresses(['93.184.215.14', '2606:4700::1111']), 'permitted'],
  ['a label that spells a private address', '10.0.0.1.good.example', addresses(['10.0.0.1']), 'url_address_forbidden'],
  [
    'a CNAME to a private name',
    'a.example',
    { kind: 'addresses', a: ['192.168.0.9'], cname: 'db.internal' },
    'url_address_forbidden',
  ],
  ['a mixed public and private set', 'mixed.example', addresses(['10.0.0.1', '93.184.215.14']), 'permitted'],
  ['an address of ours on our port', 'own.example', addresses(['127.0.0.2']), 'url_own_host'],
  ['one of several', 'some.example', addresses(['93.184.215.14', '::1']), 'url_own_host'],
  ['no answer', 'silent.example', { kind: 'silent' }, 'unresolved'],
  ['NXDOMAIN', 'gone.example', { kind: 'nxdomain' }, 'unresolved'],
  ['an empty answer', 'empty.example', { kind: 'addresses' }, 'unresolved'],
]

for (const [name, host, script, expected] of CASES)
  test(`url.dns at POST and PATCH: ${name} is ${expected}`, async (t) => {
    const dns = await startDnsServer({ [host]: script })
    const resolver = createResolver({ name_servers: [dns.address] })
    t.after(() => {
      resolver.close()
      return dns.close()
    })
    const policy = egressPolicy({ allowed_networks: ['127.0.0.0/8', '::1'], own_ports: new Set([443]) })
    const url = checkUrl(`https://${host}/`, policy)
    assert.ok(url instanceof URL)
    const outcome = await checkHost(url, policy, resolver, 150)
    assert.equal(typeof outcome === 'string' ? outcome : outcome.code, expected)
    assert.doesNotMatch(JSON.stringify(outcome), /10\.0\.0\.1|192\.168/)
  })

test('a subscription waits 3 s for DNS, and not at all for an address', async () => {
  assert.equal(HOST_CHECK_MS, 3_000)
  const broken = { peek: () => null, resolve: () => Promise.reject(new Error('asked')), close: () => {} }
  assert.equal(await checkHost(new URL('https://93.184.215.14/'), egressPolicy(), broken), 'permitted')
})
