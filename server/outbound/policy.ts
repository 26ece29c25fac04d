import { X509Certificate } from 'node:crypto'
import { type Network, parseAllowedNetworks } from './address-rules.ts'
import { type PortRanges, parsePortRanges } from './port-rules.ts'

/** An address and port on which this service itself listens; `0.0.0.0` and `::` stand for every local address. */
export interface OwnAddress {
  address: string
  port: number
}

/** What the egress guard may reach (design webhooks.md section 7). Immutable; built by `egressPolicy`. */
export interface EgressPolicy {
  readonly allowed_networks: readonly Network[]
  readonly allowed_hosts: ReadonlySet<string>
  readonly allowed_ports: PortRanges
  readonly allow_loopback_http: boolean
  /** Entries `name` (any port) or `name:port` (that port only), lower case. */
  readonly own_hosts: ReadonlySet<string>
  readonly own_addresses: readonly OwnAddress[]
  /** PEM text of further root certificates, beside the default ones. */
  readonly extra_ca: string | null
}

/** The settings as an operator writes them; every one of them may be left out. */
export interface EgressSettings {
  allowed_networks?: readonly string[]
  allowed_hosts?: readonly string[]
  allowed_ports?: string
  allow_loopback_http?: boolean
  own_hosts?: readonly string[]
  own_addresses?: readonly OwnAddress[]
  extra_ca?: string | null
}

/** Reads the settings of section 8. Throws an Error that names the setting and the entry it cannot accept. */
export function egressPolicy(settings: EgressSettings = {}): EgressPolicy {
  return {
    allowed_networks: parseAllowedNetworks(settings.allowed_networks ?? []),
    allowed_hosts: new Set(settings.allowed_hosts?.map((name) => name.trim().toLowerCase())),
    allowed_ports: parsePortRanges(settings.allowed_ports ?? '443,1024-65535'),
    allow_loopback_http: settings.allow_loopback_http ?? false,
    own_hosts: new Set(settings.own_hosts?.map((name) => name.trim().toLowerCase())),
    own_addresses: settings.own_addresses ?? [],
    extra_ca: checkedCertificates(settings.extra_ca ?? null),
  }
}

// node:tls would pass over a text that holds no certificate, and every attempt would then fail for its own reason.
function checkedCertificates(pem: string | null): string | null {
  if (pem === null) return null
  try {
    new X509Certificate(pem)
    return pem
  } catch (cause) {
    throw new Error('WEBHOOK_CA_FILE does not begin with a certificate in PEM form', { cause })
  }
}
