import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalAddress, networkOf, peerAddress } from './address.ts'

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
