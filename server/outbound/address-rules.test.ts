import assert from 'node:assert/strict'
import { test } from 'node:test'
import ipaddr from 'ipaddr.js'
import { CLOSED_IPV4, CLOSED_IPV6, OPEN_IPV4, OPEN_IPV6 } from '#test/url-cases.ts'
import { isAddressAllowed, isSameAddress, parseAllowedNetwork } from './address-rules.ts'

const allowed = (address: string, networks: string[] = []) =>
  isAddressAllowed(address, { allowed_networks: networks.map(parseAllowedNetwork) })

for (const address of [...CLOSED_IPV4, ...CLOSED_IPV6])
  test(`${address} is refused without settings`, () => assert.equal(allowed(address), false))

for (const address of [...OPEN_IPV4, ...OPEN_IPV6])
  test(`${address} passes without settings`, () => assert.equal(allowed(address), true))

/**
 * The rows of both registries as published on 2026-09-17 (the IPv6 one was last changed on 2025-10-09):
 * https://www.iana.org/assignments/iana-ipv4-special-registry/
 * https://www.iana.org/assignments/iana-ipv6-special-registry/
 */
const special_purpose_blocks = [
  '0.0.0.0/8', // This network
  '0.0.0.0/32', // This host on this network
  '10.0.0.0/8', // Private-Use
  '100.64.0.0/10', // Shared Address Space
  '127.0.0.0/8', // Loopback
  '169.254.0.0/16', // Link Local
  '172.16.0.0/12', // Private-Use
  '192.0.0.0/24', // IETF Protocol Assignments
  '192.0.0.0/29', // IPv4 Service Continuity Prefix
  '192.0.0.8/32', // IPv4 dummy address
  '192.0.0.9/32', // Port Control Protocol Anycast
  '192.0.0.10/32', // Traversal Using Relays around NAT Anycast
  '192.0.0.170/32', // NAT64/DNS64 Discovery
  '192.0.0.171/32', // NAT64/DNS64 Discovery
  '192.0.2.0/24', // Documentation (TEST-NET-1)
  '192.31.196.0/24', // AS112-v4
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // Deprecated (6to4 Relay Anycast)
  '192.88.99.2/32', // 6a44-relay anycast address
  '192.168.0.0/16', // Private-Use
  '192.175.48.0/24', // Direct Delegation AS112 Service
  '198.18.0.0/15', // Benchmarking
  '198.51.100.0/24', // Documentation (TEST-NET-2)
  '203.0.113.0/24', // Documentation (TEST-NET-3)
  '240.0.0.0/4', // Reserved
  '255.255.255.255/32', // Limited Broadcast
  '::1/128', // Loopback Address
  '::/128', // Unspecified Address
  '::ffff:0:0/96', // IPv4-mapped Address
  '64:ff9b::/96', // IPv4-IPv6 Translation
  '64:ff9b:1::/48', // IPv4-IPv6 Translation
  '100::/64', // Discard-Only Address Block
  '100:0:0:1::/64', // Dummy IPv6 Prefix
  '2001::/23', // IETF Protocol Assignments
  '2001::/32', // TEREDO
  '2001:1::1/128', // Port Control Protocol Anycast
  '2001:1::2/128', // Traversal Using Relays around NAT Anycast
  '2001:1::3/128', // DNS-SD Service Registration Protocol Anycast
  '2001:2::/48', // Benchmarking
  '2001:3::/32', // AMT
  '2001:4:112::/48', // AS112-v6
  '2001:10::/28', // Deprecated (previously ORCHID)
  '2001:20::/28', // ORCHIDv2
  '2001:30::/28', // Drone Remote ID Protocol Entity Tags
  '2001:db8::/32', // Documentation
  '2002::/16', // 6to4
  '2620:4f:8000::/48', // Direct Delegation AS112 Service
  '3fff::/20', // Documentation
  '5f00::/16', // Segment Routing (SRv6) SIDs
  'fc00::/7', // Unique-Local
  'fe80::/10', // Link-Local Unicast
]

test('first and last address of every registry block are refused, except reachable IPv6 blocks outside closed ones', () => {
  const open = special_purpose_blocks.filter((block) => {
    const [first, bits] = ipaddr.parseCIDR(block)
    const last = first.toByteArray().map((byte, at) => byte | (0xff >> Math.min(8, Math.max(0, bits - 8 * at))))
    return [first, ipaddr.fromByteArray(last)].some((address) => allowed(address.toString()))
  })
  assert.deepEqual(open, ['2620:4f:8000::/48'])
})

for (const text of [
  '',
  'localhost',
  '127.1',
  '0x7f000001',
  '8.8.8.8 ',
  'fe80::1%eth0',
  '2606:4700::1111%eth0',
  '1.2.3.4.5',
])
  test(`${JSON.stringify(text)} is no address and refused`, () => assert.equal(allowed(text, ['127.0.0.0/8']), false))

const OPENED: [network: string, opened: string[], closed: string[]][] = [
  ['10.0.0.0/8', ['10.0.0.0', '10.255.255.255', '::ffff:10.1.2.3'], ['172.16.0.1', '192.168.0.1', '127.0.0.1', '::1']],
  ['10.1.0.0/16', ['10.1.0.0', '10.1.255.255'], ['10.0.255.255', '10.2.0.0']],
  ['172.16.0.0/12', ['172.31.255.255'], ['169.254.1.1']],
  ['192.168.0.0/16', ['192.168.1.1'], ['192.0.2.1']],
  ['127.0.0.0/8', ['127.0.0.1', '::ffff:127.0.0.1'], ['::1', '0.0.0.0']],
  ['127.0.0.1', ['127.0.0.1'], ['127.0.0.2']],
  ['100.64.0.0/10', ['100.64.0.1', '100.100.100.199', '100.100.100.201'], ['100.100.100.200']],
  ['198.18.0.0/15', ['198.19.0.1'], ['198.51.100.1']],
  ['::1', ['::1'], ['127.0.0.1', '::']],
  ['::1/128', ['::1'], ['::2']],
  ['fc00::/7', ['fc00::1', 'fd00:ec2::253'], ['fd00:ec2::254', 'fe80::1']],
  ['::ffff:10.0.0.0/104', ['10.1.2.3'], ['11.1.2.3:', '172.16.0.1']],
  [
    '0.0.0.0/0',
    ['10.0.0.1', '127.0.0.1', '8.8.8.8'],
    ['169.254.169.254', '0.0.0.0', '224.0.0.1', '240.0.0.1', '192.0.0.192', '100.100.100.200'],
  ],
  [
    '::/0',
    ['::1', 'fd00::1', '2606:4700::1111'],
    ['fe80::1', 'ff02::1', '::', 'fd00:ec2::254', '64:ff9b::1', '2001:db8::1', '10.0.0.1'],
  ],
]

for (const [network, opened, closed] of OPENED)
  test(`opening ${network} opens what lies in it and may be opened, and nothing else`, () => {
    for (const address of opened) assert.equal(allowed(address, [network]), true, address)
    for (const address of closed) assert.equal(allowed(address, [network]), false, address)
  })

const NEVER_OPENED = [
  ...['0.0.0.0/8', '169.254.0.0/16', '169.254.169.254', '224.0.0.0/4', '240.0.0.0/4', '224.0.0.0/3', '192.0.2.0/24'],
  ...['100.100.100.200', '100.100.100.200/32', '192.0.0.192', '192.0.0.0/24', '255.255.255.255'],
  ...[
    'fe80::/10',
    'ff00::/8',
    '::',
    '::/128',
    'fd00:ec2::254',
    '2001:db8::/32',
    '2002::/16',
    '64:ff9b::/96',
    '4000::/3',
  ],
  ...['::ffff:169.254.0.0/112'],
]

for (const entry of NEVER_OPENED)
  test(`${entry} lies wholly in the closed part and stops the start`, () => {
    assert.throws(() => ['10.0.0.0/8', entry].map(parseAllowedNetwork), /^Error: has .+, which can never be opened/)
  })

for (const entry of [
  '',
  '10.0.0.0/',
  '10.0.0.0/33',
  '10.0.0/8',
  '10/8',
  'localhost',
  '10.0.0.0/8/8',
  '::1/129',
  'fe80::1%1/64',
  '0x0a.0.0.0/8',
  '10.0.0.0/-1',
])
  test(`${JSON.stringify(entry)} is no network and stops the start`, () => {
    assert.throws(() => parseAllowedNetwork(entry), /has .*, which is no network/)
  })

test('addresses are the same whatever their notation', () => {
  assert.equal(isSameAddress('::1', '0:0:0:0:0:0:0:1'), true)
  assert.equal(isSameAddress('::ffff:127.0.0.1', '127.0.0.1'), true)
  assert.equal(isSameAddress('127.0.0.1', '127.0.0.2'), false)
  assert.equal(isSameAddress('', 'x'), false)
})
