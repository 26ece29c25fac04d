import { networkInterfaces } from 'node:os'
import { isAddressAllowed, isLoopback, isSameAddress } from './address-rules.ts'
import type { EgressPolicy, OwnAddress } from './policy.ts'

/** Where a checked url leads: the parsed host without brackets, and the port as a number. */
export interface Destination {
  host: string
  port: number
  tls: boolean
}

/** The destination of a url that `checkUrl` has passed. */
export function destinationOf(url: URL): Destination {
  const tls = url.protocol === 'https:'
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname
  return { host, port: url.port === '' ? (tls ? 443 : 80) : Number(url.port), tls }
}

/**
 * Whether a connection to this address may be made for this destination: U5 by address and port, U6 and U7 by address,
 * and U1's rule that plain http reaches loopback only.
 */
export function judgeAddress(
  address: string,
  { port, tls }: Destination,
  policy: EgressPolicy,
): 'allowed' | 'url_own_host' | 'url_address_forbidden' {
  if (policy.own_addresses.some((own) => isOwn(own, address, port))) return 'url_own_host'
  const allowed = tls ? isAddressAllowed(address, policy) : policy.allow_loopback_http && isLoopback(address)
  return allowed ? 'allowed' : 'url_address_forbidden'
}

function isOwn(own: OwnAddress, address: string, port: number): boolean {
  if (own.port !== port) return false
  if (own.address !== '0.0.0.0' && own.address !== '::') return isSameAddress(own.address, address)
  return isLoopback(address) || isLocalAddress(address)
}

// Interfaces come and go while the service runs, so they are read at each check; the call costs some 50 µs and happens
// only for a destination on one of our own ports.
function isLocalAddress(address: string): boolean {
  return Object.values(networkInterfaces()).some((list) => list?.some((local) => isSameAddress(local.address, address)))
}
