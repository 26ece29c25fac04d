import assert from 'node:assert/strict'
import { test } from 'node:test'
import { trustedProxies } from './trusted-proxies.ts'

for (const { entries, trusted, others } of [
  { entries: [], trusted: [], others: ['127.0.0.1', '::1', 'unknown', ''] },
  { entries: ['192.0.2.1'], trusted: ['192.0.2.1'], others: ['192.0.2.2'] },
  { entries: ['10.0.0.0/8'], trusted: ['10.0.0.0', '10.255.255.255'], others: ['11.0.0.0', '9.255.255.255'] },
  { entries: ['10.1.2.3/8'], trusted: ['10.200.0.1'], others: ['11.1.2.3'] },
  { entries: ['0.0.0.0/0'], trusted: ['203.0.113.9'], others: ['2001:db8::1'] },
  { entries: ['2001:DB8::/32'], trusted: ['2001:db8:ffff::1'], others: ['2001:db9::1', '192.0.2.1'] },
  { entries: ['::1', ' 127.0.0.1 '], trusted: ['::1', '127.0.0.1'], others: ['::2', '127.0.0.2'] },
]) {
  test(`trusting [${entries}] trusts exactly that`, () => {
    const proxies = trustedProxies(entries)
    for (const address of trusted) assert.equal(proxies.trust(address), true, address)
    for (const address of others) assert.equal(proxies.trust(address), false, address)
    assert.equal(proxies.none, entries.length === 0)
  })
}

for (const entry of [
  '',
  'proxy.example.com',
  '10.0.0.0/33',
  '::/129',
  '10.0.0.0/',
  '10.0.0.0/8/8',
  '10.0.0/8',
  '10.0.0.0/-1',
  'fe80::1%eth0',
  '*',
]) {
  test(`"${entry}" is no trusted proxy`, () => {
    assert.throws(() => trustedProxies(['127.0.0.1', entry]), new RegExp(`"${entry.replace('*', '\\*')}" is neither`))
  })
}
