import { isIP, SocketAddress } from 'node:net'

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
export const addressFamily = (address: string) => (address.includes(':') ? 'ipv6' : 'ipv4')

/** Whose address it is: a caller with one IPv6 address has the /64 around it (RFC 6177), so limits count that. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address
  const [left = '', right] = canonicalAddress(address).split('::')
  const groups = left === '' ? [] : left.split(':')
  const rest = right ? right.split(':') : []
  const zeros = right === undefined ? 0 : 8 - groups.length - rest.length
  return `${[...groups, ...Array(zeros).fill('0'), ...rest].slice(0, 4).join(':')}::/64`
}
