import { BlockList, isIP } from 'node:net'
import { addressFamily } from './address.ts'

/** Peers whose `X-Forwarded-*` headers are believed. */
export interface TrustedProxies {
  readonly none: boolean
  /** False for anything that is no address. */
  trust(address: string): boolean
}

/** Reads addresses and CIDR ranges, IPv4 and IPv6. Throws naming the entry that is neither. */
export function trustedProxies(entries: string[]): TrustedProxies {
  const list = new BlockList()
  for (const entry of entries) {
    const { address, prefix } = parseRange(entry)
    list.addSubnet(address, prefix, addressFamily(address))
  }
  return {
    none: entries.length === 0,
    trust: (address) => isIP(address) !== 0 && list.check(address, addressFamily(address)),
  }
}

function parseRange(entry: string): { address: string; prefix: number } {
  const [address = '', written, ...rest] = entry.trim().split('/')
  const bits = isIP(address) === 6 ? 128 : 32
  const prefix = written === undefined ? bits : Number(written)
  const good = isIP(address) !== 0 && /^\d{1,3}$/.test(written ?? '0') && prefix <= bits && rest.length === 0
  if (!good || address.includes('%')) {
    throw new Error(`trusted proxy "${entry}" is neither an address nor a CIDR range`)
  }
  return { address, prefix }
}
