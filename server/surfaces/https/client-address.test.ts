import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientAddress } from './client-address.ts'
import { trustedProxies } from './trusted-proxies.ts'

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
