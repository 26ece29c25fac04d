import { BlockList, isIP, SocketAddress } from 'node:net'
import ipaddr from 'ipaddr.js'

/** An IP address as it is written shortest (RFC 5952), without a zone (`%eth0`). Takes valid addresses only. */
export function canonicalAddress(address: string): string {
  const [bare = ''] = address.split('%')
  return new SocketAddress({ address: bare, family: addressFamily(bare) }).address
}

/** The connected address as the kernel writes it: an IPv4 peer of a listener on `::` loses its `::ffff:`, any its zone. */
export function peerAddress(address: string | undefined): string {
  const [bare = ''] = (address ?? 'unknown').split('%') // RFC 7239 §6.2; where the peer left before it was asked for
  return bare.startsWith('::ffff:') && isIP(bare.slice(7)) === 4 ? bare.slice(7) : bare
}

/** Of a valid address; its colon tells. `isIP` would build its pattern of IPv6 addresses: 5 ms of each start. */
const addressFamily = (address: string) => (address.includes(':') ? 'ipv6' : 'ipv4')

/** The network of a caller: with one IPv6 address it has the /64 around it (RFC 6177), so limits count that. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address
  const groups = ipaddr.IPv6.parse(address).parts.slice(0, 4)
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`
}

/** Tells the peers whose `X-Forwarded-*` headers are believed. False for anything that is no address. */
export type TrustsProxy = (address: string) => boolean

/** Reads addresses and CIDR ranges, IPv4 and IPv6. Throws naming the entry that is neither. */
export function trustedProxies(entries: string[]): TrustsProxy {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = '', prefix, ...rest] = entry.trim().split('/')
    const bits_max = isIP(address) === 6 ? 128 : 32
    const bits = Number(prefix ?? bits_max)
    const isRange = isIP(address) !== 0 && !address.includes('%') && /^\d{1,3}$/.test(prefix ?? '0') && bits <= bits_max
    if (!isRange || rest.length > 0) {
      throw new Error(`"${entry}" is neither an address nor a CIDR range`)
    }
    list.addSubnet(address, bits, addressFamily(address))
  }
  return (address) => isIP(address) !== 0 && list.check(address, addressFamily(address))
}

/** More proxies in a row than anybody runs; what lies behind them is not believed. */
const hops_max = 20

/**
 * The address of the client: the peer itself, or, where the peer is a trusted proxy, the right-most hop of
 * `X-Forwarded-For` that is not one. Each proxy appends the address it saw, so everything left of that hop was written by
 * a stranger. A hop that is no address ends the walk at the proxy that reported it.
 */
export function clientAddress(
  peer: string | undefined,
  forwarded_for: string | undefined,
  trusts: TrustsProxy,
): string {
  let address = peerAddress(peer)
  const hops = forwarded_for?.split(',').slice(-hops_max) ?? []
  while (hops.length > 0 && trusts(address)) {
    const hop = parseHop(hops.pop() ?? '')
    if (hop === undefined) break
    address = hop
  }
  return address
}

/** `192.0.2.1`, `192.0.2.1:443`, `2001:db8::1`, `[2001:db8::1]`, `[2001:db8::1]:443`. */
function parseHop(written: string): string | undefined {
  const hop = written.trim()
  const bare = /^\[(.*)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop
  return isIP(bare) === 0 ? undefined : peerAddress(canonicalAddress(bare))
}
