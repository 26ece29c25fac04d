import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { IPV4_SPECIAL_PURPOSE, IPV6_SPECIAL_PURPOSE } from './special-purpose-registry.ts'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** A CIDR block: its first address and the length of its prefix in bits. */
export type Network = readonly [Address, number]

const blocks = (list: readonly string[]): Network[] => list.map((block) => ipaddr.parseCIDR(block))

// U6: for IPv4 every row of the registry is refused, reachable or not; for IPv6 only rows not marked reachable. Blocks
// are not overridden by more specific rows inside them, so all of 2001::/23 stays closed.
const IPV4_CLOSED = [...blocks(IPV4_SPECIAL_PURPOSE.map(({ block }) => block)), ...blocks(['224.0.0.0/3'])]
const IPV6_UNICAST = ipaddr.parseCIDR('2000::/3')
const IPV6_CLOSED = blocks(IPV6_SPECIAL_PURPOSE.filter((row) => !row.globally_reachable).map(({ block }) => block))

// U7: what WEBHOOK_ALLOWED_NETWORKS may open, and the metadata services inside those blocks that stay closed.
const OPENABLE = blocks([
  ...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '127.0.0.0/8', '100.64.0.0/10', '198.18.0.0/15'],
  ...['::1/128', 'fc00::/7'],
])
const NEVER_OPENED = blocks(['100.100.100.200/32', '192.0.0.192/32', 'fd00:ec2::254/128'])
const LOOPBACK = blocks(['127.0.0.0/8', '::1/128'])

/**
 * Whether a connection to this address is permitted (U6, U7). The default is refusal: whatever is not an address,
 * carries a zone id or is in no known open block is refused.
 */
export function isAddressAllowed(address: string, policy: { allowed_networks: readonly Network[] }): boolean {
  const parsed = parseAddress(address)
  if (!parsed) return false
  return isPublic(parsed) || (isOpenable(parsed) && within(policy.allowed_networks, parsed))
}

/** Whether the text is an address of 127.0.0.0/8 or ::1, in any notation that node:net accepts. */
export function isLoopback(address: string): boolean {
  const parsed = parseAddress(address)
  return parsed !== null && within(LOOPBACK, parsed)
}

/** Whether two texts denote the same address; IPv4-mapped IPv6 equals its IPv4 form. */
export function isSameAddress(a: string, b: string): boolean {
  if (a === b) return true
  return parseAddress(a)?.toNormalizedString() === parseAddress(b)?.toNormalizedString() && isIP(a) !== 0
}

/**
 * Reads WEBHOOK_ALLOWED_NETWORKS: blocks in CIDR notation, or single addresses. Throws for a text that is neither, and
 * for an entry wholly inside the part that is never opened, because such an entry can only be a misunderstanding.
 */
export function parseAllowedNetworks(list: readonly string[]): Network[] {
  return list.map((entry) => {
    const network = parseNetwork(entry)
    if (!network) throw new Error(`WEBHOOK_ALLOWED_NETWORKS: "${entry}" is not a network such as 10.0.0.0/8 or ::1`)
    if (isWhollyClosed(network)) throw new Error(`WEBHOOK_ALLOWED_NETWORKS: "${entry}" can never be opened`)
    return network
  })
}

function parseAddress(text: string): Address | null {
  if (isIP(text) === 0 || text.includes('%')) return null
  return ipaddr.process(text)
}

function parseNetwork(entry: string): Network | null {
  const [address = '', bits, ...rest] = entry.trim().split('/')
  const parsed = isIP(address) === 0 || address.includes('%') ? null : ipaddr.parse(address)
  if (!parsed || rest.length > 0) return null
  const bits_max = parsed.kind() === 'ipv4' ? 32 : 128
  if (bits !== undefined && (!/^\d{1,3}$/.test(bits) || Number(bits) > bits_max)) return null
  const prefix_bits = bits === undefined ? bits_max : Number(bits)
  // ::ffff:10.0.0.0/104 means 10.0.0.0/8, since mapped addresses are judged as IPv4.
  if (parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() && prefix_bits >= 96)
    return [parsed.toIPv4Address(), prefix_bits - 96]
  return [parsed, prefix_bits]
}

function isPublic(address: Address): boolean {
  if (address.kind() === 'ipv4') return !within(IPV4_CLOSED, address)
  return contains(IPV6_UNICAST, address) && !within(IPV6_CLOSED, address)
}

const isOpenable = (address: Address) => within(OPENABLE, address) && !within(NEVER_OPENED, address)

// Two CIDR blocks are nested or disjoint, so the first address and the prefix length decide every case.
function isWhollyClosed(entry: Network): boolean {
  const [first, prefix_bits] = entry
  if (NEVER_OPENED.some((closed) => prefix_bits >= closed[1] && contains(closed, first))) return true
  if (OPENABLE.some((open) => overlaps(open, entry))) return false
  if (first.kind() === 'ipv6' && !overlaps(IPV6_UNICAST, entry)) return true
  const closed = first.kind() === 'ipv4' ? IPV4_CLOSED : IPV6_CLOSED
  return closed.some((block) => prefix_bits >= block[1] && contains(block, first))
}

const overlaps = (a: Network, b: Network) => contains(a, b[0]) || contains(b, a[0])

const within = (networks: readonly Network[], address: Address) =>
  networks.some((network) => contains(network, address))

function contains([first, prefix_bits]: Network, address: Address): boolean {
  if (first instanceof ipaddr.IPv4) return address instanceof ipaddr.IPv4 && address.match(first, prefix_bits)
  return address instanceof ipaddr.IPv6 && first instanceof ipaddr.IPv6 && address.match(first, prefix_bits)
}
