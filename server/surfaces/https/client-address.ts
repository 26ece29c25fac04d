import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { canonicalAddress, peerAddress } from './address.ts'
import type { TrustedProxies } from './trusted-proxies.ts'

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
  proxies: TrustedProxies,
): string {
  let address = peerAddress(peer)
  if (forwarded_for === undefined) return address
  const hops = forwarded_for.split(',').slice(-hops_max)
  while (proxies.trust(address)) {
    const hop = parseHop(hops.pop() ?? '')
    if (hop === undefined) break
    address = hop
  }
  return address
}

export function readClientAddress(request: IncomingMessage, proxies: TrustedProxies): string {
  const peer = request.socket.remoteAddress
  return proxies.none ? peerAddress(peer) : clientAddress(peer, request.headers['x-forwarded-for']?.toString(), proxies)
}

/** `192.0.2.1`, `192.0.2.1:443`, `2001:db8::1`, `[2001:db8::1]`, `[2001:db8::1]:443`. */
function parseHop(written: string): string | undefined {
  const hop = written.trim()
  const bare = /^\[(.*)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop
  return isIP(bare) === 0 ? undefined : peerAddress(canonicalAddress(bare))
}
