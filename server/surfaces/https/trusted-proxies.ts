import { BlockList, isIP } from 'node:net'

/** Peers whose `X-Forwarded-*` headers are believed. */
export interface TrustedProxies {
  readonly none: boolean
  /** Takes an address as `normaliseAddress` writes it. */
  trust(address: string): boolean
}

/** Reads addresses and CIDR ranges, IPv4 and IPv6. Throws naming the entry that is neither. */
export function trustedProxies(entries: string[]): TrustedProxies {
  const list = new BlockList()
  for (const entry of entries) {
    const { address, prefix } = parseRange(entry)
    list.addSubnet(address, prefix, family(address))
  }
  return {
    none: entries.length === 0,
    trust: (address) => isIP(address) !== 0 && list.check(address, family(address)),
  }
}

/** `::ffff:192.0.2.1`, an IPv4 peer of a listener on `::`, becomes `192.0.2.1`; a zone (`%eth0`) is left out. */
export function normaliseAddress(address: string): string {
  const [bare = ''] = address.toLowerCase().split('%')
  return bare.startsWith('::ffff:') && isIP(bare.slice(7)) === 4 ? bare.slice(7) : bare
}

function parseRange(entry: string): { address: string; prefix: number } {
  const [address = '', written, ...rest] = entry.trim().split('/')
  const bits = isIP(address) === 6 ? 128 : 32
  const prefix = written === undefined ? bits : Number(written)
  const good = isIP(address) !== 0 && /^\d{1,3}$/.test(written ?? '0') && prefix <= bits && rest.length === 0
  if (!good || normaliseAddress(address) !== address.toLowerCase()) {
    throw new Error(`trusted proxy "${entry}" is neither an IPv4 or IPv6 address nor a CIDR range of such`)
  }
  return { address, prefix }
}

const family = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')
