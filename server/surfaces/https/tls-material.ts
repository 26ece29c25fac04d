import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { isIPv4 } from 'node:net'
import { join } from 'node:path'
import { createSecureContext } from 'node:tls'
import { domainToASCII } from 'node:url'
import { StartRefused } from '#db/start-refused.ts'
import { canonicalAddress } from './address.ts'
import type { CertificateName, CertifiedKey } from './certificate-authority.ts'
import { openDevelopmentCertificate } from './development-certificate.ts'

/** The identity of the listener; the server's own certificate comes first in `cert`. */
export interface TlsMaterial extends CertifiedKey {
  /** The authority that a client must trust, where the certificate is ours; null for the operator's own files. */
  ca_file: string | null
  source: 'generated' | 'files'
  /** End of the server's own certificate, milliseconds since 1970. */
  expires_at: number
}

interface TlsMaterialOptions {
  data_dir: string
  /** Names and addresses the service is reached under; the loopback ones are always added. */
  hosts: string[]
  cert_file?: string | undefined
  key_file?: string | undefined
  /** Milliseconds since 1970. */
  now: () => number
}

/**
 * The certificate the listener serves: the operator's files where they are set, otherwise one issued by a
 * development authority under `<data_dir>/tls`, which is made at first start and renewed when it is opened within
 * 30 days of its end. Throws `StartRefused` for settings the operator must correct.
 */
export async function openTlsMaterial(options: TlsMaterialOptions): Promise<TlsMaterial> {
  const { data_dir, hosts, cert_file, key_file, now } = options
  if (cert_file === undefined && key_file === undefined) {
    const made = await openDevelopmentCertificate(join(data_dir, 'tls'), certificateNames(hosts), now())
    return { ...made, source: 'generated', expires_at: new X509Certificate(made.cert).validToDate.getTime() }
  }
  if (cert_file === undefined) throw new StartRefused(`key file ${key_file} is set without a certificate file`)
  if (key_file === undefined) throw new StartRefused(`certificate file ${cert_file} is set without a key file`)
  return readOwnCertificate(cert_file, key_file)
}

/** Reads the operator's own pair and proves that it can be served. */
async function readOwnCertificate(cert_file: string, key_file: string): Promise<TlsMaterial> {
  const cert = await orRefuse(`cannot read ${cert_file}`, () => readFile(cert_file, 'utf8'))
  const key = await orRefuse(`cannot read ${key_file}`, () => readFile(key_file, 'utf8'))
  const certificate = await orRefuse(`${cert_file} holds no PEM certificate`, () => new X509Certificate(cert))
  const noKey = `${key_file} holds no PEM private key without passphrase`
  if (!certificate.checkPrivateKey(await orRefuse(noKey, () => createPrivateKey(key)))) {
    throw new StartRefused(
      `key file ${key_file} does not match the first certificate of ${cert_file}; the server's own certificate comes first`,
    )
  }
  // OpenSSL has the last word: it also reads the rest of the chain and refuses keys that are too weak.
  await orRefuse(`${cert_file} cannot be served`, () => createSecureContext({ cert, key }))
  return { cert, key, ca_file: null, source: 'files', expires_at: certificate.validToDate.getTime() }
}

async function orRefuse<Result>(words: string, act: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await act()
  } catch (cause) {
    throw new StartRefused(`${words}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

const loopback_names = ['localhost', '127.0.0.1', '::1']

/** The subject alternative names for the configured hosts and the loopback names, each once, as a certificate writes them. */
export function certificateNames(hosts: string[]): CertificateName[] {
  const names = [...loopback_names, ...hosts].map(certificateName)
  return [...new Map(names.map((name) => [name.value, name])).values()]
}

export function certificateName(host: string): CertificateName {
  const bare = host.replace(/^\[(.*)\]$/, '$1')
  // No name of a host holds a colon.
  if (bare.includes(':') || isIPv4(bare)) return { type: 'ip', value: canonicalAddress(bare) }
  const value = domainToASCII(bare)
  if (value === '') throw new StartRefused(`${host} is neither a host name nor an address`)
  return { type: 'dns', value }
}
