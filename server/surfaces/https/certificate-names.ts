import type { X509Certificate } from 'node:crypto'
import { isIPv4 } from 'node:net'
import { domainToASCII } from 'node:url'
import { canonicalAddress } from './address.ts'
import { TlsConfigurationError } from './tls-configuration-error.ts'

export interface CertificateName {
  type: 'dns' | 'ip'
  value: string
}

const loopback_names = ['localhost', '127.0.0.1', '::1']

/** The subject alternative names for the configured hosts and the loopback names, each once, as a certificate writes them. */
export function certificateNames(hosts: string[]): CertificateName[] {
  const names = [...loopback_names, ...hosts].map(certificateName)
  return [...new Map(names.map((name) => [name.value, name])).values()]
}

/** Whether the certificate is for exactly these names. */
export function holdsNames(certificate: X509Certificate, names: CertificateName[]): boolean {
  const held = new Set(certificate.subjectAltName?.split(', ').map(readName))
  return held.size === names.length && names.every((name) => held.has(name.value))
}

function certificateName(host: string): CertificateName {
  const bare = host.replace(/^\[(.*)\]$/, '$1')
  // No name of a host holds a colon.
  if (bare.includes(':') || isIPv4(bare)) return { type: 'ip', value: canonicalAddress(bare) }
  const value = domainToASCII(bare)
  if (value === '') throw new TlsConfigurationError(`${host} is neither a host name nor an address`)
  return { type: 'dns', value }
}

/** `DNS:localhost` and `IP Address:0:0:0:0:0:0:0:1`, as OpenSSL prints them. */
function readName(printed: string): string {
  const value = printed.slice(printed.indexOf(':') + 1)
  return printed.startsWith('IP Address:') ? canonicalAddress(value) : value
}
