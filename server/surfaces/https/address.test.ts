import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalAddress, peerAddress } from './address.ts'

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
