import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalAddress, clientAddress, networkOf, peerAddress, trustedProxies } from './address.ts'

for (const [written, address] of [
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8::1', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  [undefined, 'unknown'],
] as const) {
  test(`the peer ${written} is ${address}`, () => assert.equal(peerAddress(written), address))
}

for (const [written, address] of [
  ['192.0.2.1', '192.0.2.1'],
  ['2001:0DB8:0:0:0::1', '2001:db8::1'],
  ['::ffff:c000:201', '::ffff:192.0.2.1'],
  ['FE80::1%eth0', 'fe80::1'],
] as const) {
  test(`the address ${written} is written ${address}`, () => assert.equal(canonicalAddress(written), address))
}

for (const [address, network] of [
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
  ['2001:db8::6', '2001:db8:0:0::/64'],
  ['2001:db8::2:3:4:5:6', '2001:db8:0:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['unknown', 'unknown'],
] as const) {
  test(`limits count ${address} as ${network}`, () => assert.equal(networkOf(address), network))
}

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
    const trusts = trustedProxies(entries)
    for (const address of trusted) assert.equal(trusts(address), true, address)
    for (const address of others) assert.equal(trusts(address), false, address)
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

const proxies = trustedProxies(['10.0.0.0/8', 'fd00::/8'])

for (const { name, peer, forwarded, client } of [
  { name: 'a peer without header', peer: '198.51.100.1', forwarded: undefined, client: '198.51.100.1' },
  { name: 'an untrusted peer with header', peer: '198.51.100.1', forwarded: '203.0.113.9', client: '198.51.100.1' },
  { name: 'a trusted peer without header', peer: '10.0.0.1', forwarded: undefined, client: '10.0.0.1' },
  { name: 'a trusted peer with one hop', peer: '10.0.0.1', forwarded: '203.0.113.9', client: '203.0.113.9' },
  {
    name: 'a client that wrote hops of its own',
    peer: '10.0.0.1',
    forwarded: '10.6.6.6, 1.1.1.1, 203.0.113.9',
    client: '203.0.113.9',
  },
  { name: 'two proxies', peer: '10.0.0.1', forwarded: '203.0.113.9,10.0.0.2', client: '203.0.113.9' },
  { name: 'proxies only', peer: '10.0.0.1', forwarded: '10.0.0.3, 10.0.0.2', client: '10.0.0.3' },
  { name: 'IPv6', peer: 'fd00::1', forwarded: '2001:0DB8:0:0::9', client: '2001:db8::9' },
  {
    name: 'a peer of a listener on ::',
    peer: '::ffff:10.0.0.1',
    forwarded: '::FFFF:cb00:7109',
    client: '203.0.113.9',
  },
  { name: 'a port', peer: '10.0.0.1', forwarded: '203.0.113.9:4711', client: '203.0.113.9' },
  { name: 'brackets and port', peer: '10.0.0.1', forwarded: '[2001:db8::9]:4711', client: '2001:db8::9' },
  { name: 'brackets', peer: '10.0.0.1', forwarded: '[2001:db8::9]', client: '2001:db8::9' },
  { name: 'nonsense', peer: '10.0.0.1', forwarded: 'unknown', client: '10.0.0.1' },
  {
    name: 'nonsense behind a proxy',
    peer: '10.0.0.1',
    forwarded: '203.0.113.9, _hidden, 10.0.0.2',
    client: '10.0.0.2',
  },
  { name: 'an empty header', peer: '10.0.0.1', forwarded: '', client: '10.0.0.1' },
  { name: 'an empty hop', peer: '10.0.0.1', forwarded: '203.0.113.9, ', client: '10.0.0.1' },
  {
    name: 'more proxies than believed',
    peer: '10.0.0.1',
    forwarded: `203.0.113.9, ${Array(20).fill('10.0.0.2')}`,
    client: '10.0.0.2',
  },
  { name: 'a peer that is gone', peer: undefined, forwarded: '203.0.113.9', client: 'unknown' },
]) {
  test(`the client address of ${name} is ${client}`, () => {
    assert.equal(clientAddress(peer, forwarded, proxies), client)
  })
}

test('without trusted proxies a forwarded address means nothing', () => {
  assert.equal(clientAddress('10.0.0.1', '203.0.113.9', trustedProxies([])), '10.0.0.1')
})
