import { isIP } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'

/** The settings as an operator writes them; every one of them may be left out. */
export interface EgressSettings {
  allowed_networks?: readonly string[]
  allowed_hosts?: readonly string[]
  allowed_ports?: string
  allow_loopback_http?: boolean
  /** Public names of this service, on any port. */
  own_hosts?: readonly string[]
  /** Ports of this machine on which this service listens, whatever the address. */
  own_ports?: ReadonlySet<number>
  /** PEM text of further root certificates, beside the default ones. */
  extra_ca?: string | null
}

/** Rules of the egress guard (design webhooks.md section 7). */
export type EgressPolicy = Readonly<ReturnType<typeof egressPolicy>>

const namesIn = (list: readonly string[] = []) => new Set(list.map((name) => name.trim().toLowerCase()))

/** Reads the settings of section 8. Throws an Error that names the entry it cannot accept. */
export function egressPolicy(settings: EgressSettings = {}) {
  return {
    allowed_networks: (settings.allowed_networks ?? []).map(parseAllowedNetwork),
    allowed_hosts: namesIn(settings.allowed_hosts),
    allowed_ports: parsePortRanges(settings.allowed_ports ?? '443,1024-65535'),
    allow_loopback_http: settings.allow_loopback_http ?? false,
    own_hosts: namesIn(settings.own_hosts),
    own_ports: settings.own_ports ?? new Set(),
    extra_ca: settings.extra_ca ?? null,
  }
}

/** The target of a checked url: the parsed host without brackets, and the port as a number. */
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
 * True when a connection to this address may be made for this destination: U5 by address and port, U6 and U7 by
 * address, and U1's rule that plain http reaches loopback only.
 */
export function judgeAddress(
  address: string,
  { port, tls }: Destination,
  policy: EgressPolicy,
): 'allowed' | 'url_own_host' | 'url_address_forbidden' {
  if (policy.own_ports.has(port) && isOfThisMachine(address)) return 'url_own_host'
  const allowed = tls ? isAddressAllowed(address, policy) : policy.allow_loopback_http && isLoopback(address)
  return allowed ? 'allowed' : 'url_address_forbidden'
}

/** True for a name that means this machine, and for an address of it, whichever of them the service listens on. */
export function isOfThisMachine(host: string): boolean {
  if (isIP(host) === 0) return host === 'localhost' || host.endsWith('.localhost') || host === hostname().toLowerCase()
  // Interfaces come and go while the service runs, so they are read at each check; the call costs some 50 µs and happens
  // only for a destination on one of our own ports.
  const local = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  return isLoopback(host) || local.some(({ address }) => isSameAddress(address, host))
}

/**
 * True when a connection to this address is permitted (U6, U7). The default is refusal: whatever is not an address,
 * carries a zone id or is in no known open block is refused.
 */
export function isAddressAllowed(address: string, policy: { allowed_networks: readonly Network[] }): boolean {
  const parsed = parseAddress(address)
  const kind = parsed && kindOf(parsed)
  if (!parsed || kind === 'closed') return false
  return kind === 'public' || isWithin(parsed, policy.allowed_networks)
}

/** True when the text is an address of 127.0.0.0/8 or ::1, in any notation that node:net accepts. */
export function isLoopback(address: string): boolean {
  const parsed = parseAddress(address)
  return parsed !== null && kindOf(parsed) === 'loopback'
}

/** True when two texts denote the same address; IPv4-mapped IPv6 equals its IPv4 form. */
export function isSameAddress(a: string, b: string): boolean {
  return a === b || (isIP(a) !== 0 && parseAddress(a)?.toNormalizedString() === parseAddress(b)?.toNormalizedString())
}

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** A CIDR block: its first address and the length of its prefix in bits. */
type Network = [Address, number]

const blocks = (...list: string[]): Network[] => list.map((block) => ipaddr.parseCIDR(block))

/**
 * The kinds of addresses; the first list that has an address decides, and what is in none is closed (IPv6) or public
 * (IPv4). Loopback and private are what WEBHOOK_ALLOWED_NETWORKS may open (U7), with the metadata services inside them
 * closed. U6: the rest are the blocks of the IANA special-purpose registries as published on 2026-09-17 (the test holds
 * every row against them; the registries change about once a year), of IPv4 with multicast, of IPv6 what is not marked
 * globally reachable inside the unicast block. More specific rows open nothing: all of 192.0.0.0/24 and of 2001::/23
 * stays closed.
 */
const kinds = {
  closed: [
    ...blocks('100.100.100.200/32', 'fd00:ec2::254/128', '0.0.0.0/8', '169.254.0.0/16', '192.0.0.0/24', '192.0.2.0/24'),
    ...blocks('192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.175.48.0/24', '198.51.100.0/24'),
    ...blocks('203.0.113.0/24', '224.0.0.0/3', '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'),
  ],
  loopback: blocks('127.0.0.0/8', '::1/128'),
  private: blocks('10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '198.18.0.0/15', 'fc00::/7'),
  public: blocks('2000::/3'),
}

const kindOf = (address: Address) => ipaddr.subnetMatch(address, kinds, address.kind() === 'ipv4' ? 'public' : 'closed')

const isWithin = (address: Address, networks: readonly Network[]) =>
  ipaddr.subnetMatch(address, { within: [...networks] }, 'outside') === 'within'

/**
 * Reads a private network that may be contacted: a block in CIDR notation, or a single address. Throws for a text that is
 * neither, and for one wholly inside the part that is never opened, because it can only be a misunderstanding.
 */
export function parseAllowedNetwork(entry: string): Network {
  const network = parseNetwork(entry)
  if (!network) throw new Error(`has ${entry}, which is no network such as 10.0.0.0/8 or ::1`)
  if (isWhollyClosed(network)) throw new Error(`has ${entry}, which can never be opened`)
  return network
}

function parseAddress(text: string): Address | null {
  if (isIP(text) === 0 || text.includes('%')) return null
  return ipaddr.process(text)
}

function parseNetwork(entry: string): Network | null {
  const text = entry.trim()
  const [address = ''] = text.split('/')
  const cidr = text === address ? `${address}/${isIP(address) === 4 ? 32 : 128}` : text
  if (!parseAddress(address) || !ipaddr.isValidCIDR(cidr)) return null
  const [first, prefix_bits] = ipaddr.parseCIDR(cidr)
  // ::ffff:10.0.0.0/104 means 10.0.0.0/8, since mapped addresses are judged as IPv4.
  const isMapped = first instanceof ipaddr.IPv6 && first.isIPv4MappedAddress() && prefix_bits >= 96
  return isMapped ? [first.toIPv4Address(), prefix_bits - 96] : [first, prefix_bits]
}

// Two CIDR blocks are nested or disjoint, so the first address and the prefix length decide every case.
function isWhollyClosed(entry: Network): boolean {
  const [first, prefix_bits] = entry
  const is_single = prefix_bits === 8 * first.toByteArray().length
  const opened = [...kinds.loopback, ...kinds.private]
  const opens = opened.some((block) => isWithin(first, [block]) || isWithin(block[0], [entry]))
  return kindOf(first) === 'closed' && (is_single || !opens)
}

/** Inclusive ranges of ports, for example [[443, 443], [1024, 65535]]. */
type PortRanges = readonly (readonly [number, number])[]

/** U3: ports no setting opens. First the WHATWG Fetch bad ports (https://fetch.spec.whatwg.org/#port-blocking), */
const BAD_PORTS = [
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]
/** then databases, queues, caches, container and cluster control that answer HTTP or skip what they do not understand. */
const INFRASTRUCTURE_PORTS = [
  1433, 1521, 2375, 2376, 2379, 2380, 3306, 5432, 5672, 6379, 9042, 9092, 9200, 9300, 10250, 11211, 27017,
]
const PORTS_NEVER_OPENED: ReadonlySet<number> = new Set([...BAD_PORTS, ...INFRASTRUCTURE_PORTS])

/** True when a receiver may listen on this port (U3); plain http, which reaches loopback only, has all but the closed ones. */
export const isPortAllowed = ({ port, tls }: Destination, { allowed_ports }: EgressPolicy): boolean =>
  !PORTS_NEVER_OPENED.has(port) && (!tls || allowed_ports.some(([first, last]) => port >= first && port <= last))

/** Reads WEBHOOK_ALLOWED_PORTS, for example `443,1024-65535`. Throws for anything else. */
export function parsePortRanges(text: string): PortRanges {
  return text.split(',').map((part) => {
    const match = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(part.trim())
    const first = Number(match?.[1])
    const last = Number(match?.[2] ?? match?.[1])
    if (!match || first < 1 || last > 65_535 || first > last)
      throw new Error(`has ${part.trim()}, which is neither a port nor a range such as 1024-65535`)
    return [first, last] as const
  })
}
