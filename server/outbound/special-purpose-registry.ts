/** One row of an IANA special-purpose address registry (RFC 6890, RFC 8190). */
export interface SpecialPurposeBlock {
  block: string
  name: string
  /** The registry's column of that name; rows that say N/A or nothing count as not reachable. */
  globally_reachable: boolean
}

/**
 * The rows of both registries as published on 2026-09-17 (the IPv6 one was last changed on 2025-10-09):
 * https://www.iana.org/assignments/iana-ipv4-special-registry/
 * https://www.iana.org/assignments/iana-ipv6-special-registry/
 * The registries change about once a year: compare the rows when the date above is older than that.
 */
export const IPV4_SPECIAL_PURPOSE: readonly SpecialPurposeBlock[] = [
  { block: '0.0.0.0/8', name: 'This network', globally_reachable: false },
  { block: '0.0.0.0/32', name: 'This host on this network', globally_reachable: false },
  { block: '10.0.0.0/8', name: 'Private-Use', globally_reachable: false },
  { block: '100.64.0.0/10', name: 'Shared Address Space', globally_reachable: false },
  { block: '127.0.0.0/8', name: 'Loopback', globally_reachable: false },
  { block: '169.254.0.0/16', name: 'Link Local', globally_reachable: false },
  { block: '172.16.0.0/12', name: 'Private-Use', globally_reachable: false },
  { block: '192.0.0.0/24', name: 'IETF Protocol Assignments', globally_reachable: false },
  { block: '192.0.0.0/29', name: 'IPv4 Service Continuity Prefix', globally_reachable: false },
  { block: '192.0.0.8/32', name: 'IPv4 dummy address', globally_reachable: false },
  { block: '192.0.0.9/32', name: 'Port Control Protocol Anycast', globally_reachable: true },
  { block: '192.0.0.10/32', name: 'Traversal Using Relays around NAT Anycast', globally_reachable: true },
  { block: '192.0.0.170/32', name: 'NAT64/DNS64 Discovery', globally_reachable: false },
  { block: '192.0.0.171/32', name: 'NAT64/DNS64 Discovery', globally_reachable: false },
  { block: '192.0.2.0/24', name: 'Documentation (TEST-NET-1)', globally_reachable: false },
  { block: '192.31.196.0/24', name: 'AS112-v4', globally_reachable: true },
  { block: '192.52.193.0/24', name: 'AMT', globally_reachable: true },
  { block: '192.88.99.0/24', name: 'Deprecated (6to4 Relay Anycast)', globally_reachable: false },
  { block: '192.88.99.2/32', name: '6a44-relay anycast address', globally_reachable: false },
  { block: '192.168.0.0/16', name: 'Private-Use', globally_reachable: false },
  { block: '192.175.48.0/24', name: 'Direct Delegation AS112 Service', globally_reachable: true },
  { block: '198.18.0.0/15', name: 'Benchmarking', globally_reachable: false },
  { block: '198.51.100.0/24', name: 'Documentation (TEST-NET-2)', globally_reachable: false },
  { block: '203.0.113.0/24', name: 'Documentation (TEST-NET-3)', globally_reachable: false },
  { block: '240.0.0.0/4', name: 'Reserved', globally_reachable: false },
  { block: '255.255.255.255/32', name: 'Limited Broadcast', globally_reachable: false },
]

export const IPV6_SPECIAL_PURPOSE: readonly SpecialPurposeBlock[] = [
  { block: '::1/128', name: 'Loopback Address', globally_reachable: false },
  { block: '::/128', name: 'Unspecified Address', globally_reachable: false },
  { block: '::ffff:0:0/96', name: 'IPv4-mapped Address', globally_reachable: false },
  { block: '64:ff9b::/96', name: 'IPv4-IPv6 Translation', globally_reachable: true },
  { block: '64:ff9b:1::/48', name: 'IPv4-IPv6 Translation', globally_reachable: false },
  { block: '100::/64', name: 'Discard-Only Address Block', globally_reachable: false },
  { block: '100:0:0:1::/64', name: 'Dummy IPv6 Prefix', globally_reachable: false },
  { block: '2001::/23', name: 'IETF Protocol Assignments', globally_reachable: false },
  { block: '2001::/32', name: 'TEREDO', globally_reachable: false },
  { block: '2001:1::1/128', name: 'Port Control Protocol Anycast', globally_reachable: true },
  { block: '2001:1::2/128', name: 'Traversal Using Relays around NAT Anycast', globally_reachable: true },
  { block: '2001:1::3/128', name: 'DNS-SD Service Registration Protocol Anycast', globally_reachable: true },
  { block: '2001:2::/48', name: 'Benchmarking', globally_reachable: false },
  { block: '2001:3::/32', name: 'AMT', globally_reachable: true },
  { block: '2001:4:112::/48', name: 'AS112-v6', globally_reachable: true },
  { block: '2001:10::/28', name: 'Deprecated (previously ORCHID)', globally_reachable: false },
  { block: '2001:20::/28', name: 'ORCHIDv2', globally_reachable: true },
  { block: '2001:30::/28', name: 'Drone Remote ID Protocol Entity Tags', globally_reachable: true },
  { block: '2001:db8::/32', name: 'Documentation', globally_reachable: false },
  { block: '2002::/16', name: '6to4', globally_reachable: false },
  { block: '2620:4f:8000::/48', name: 'Direct Delegation AS112 Service', globally_reachable: true },
  { block: '3fff::/20', name: 'Documentation', globally_reachable: false },
  { block: '5f00::/16', name: 'Segment Routing (SRv6) SIDs', globally_reachable: false },
  { block: 'fc00::/7', name: 'Unique-Local', globally_reachable: false },
  { block: 'fe80::/10', name: 'Link-Local Unicast', globally_reachable: false },
]
