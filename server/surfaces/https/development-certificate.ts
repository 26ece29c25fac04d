import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import {
  type CertifiedKey,
  createCertificateAuthority,
  day_ms,
  issueServerCertificate,
  server_lifetime_days,
} from './certificate-authority.ts'
import {
  authorityFile,
  type CertificateFolder,
  createCertificateFolder,
  readCertificateFolder,
  replaceCertificateFolder,
  writeServerCertificate,
} from './certificate-folder.ts'
import { type CertificateName, certificateNames, holdsNames } from './certificate-names.ts'
import type { TlsMaterial } from './tls-material.ts'

export interface DevelopmentCertificateOptions {
  /** Holds `ca.pem`, `ca.key`, `cert.pem` and `key.pem`; mode 0700, its keys 0600. */
  folder: string
  hosts: string[]
  /** Milliseconds since 1970. */
  now: number
}

const renewal_days = 30

/**
 * The certificate of the development authority in `folder`. What is missing, damaged, for other hosts or within 30
 * days of its end is made anew, as little of it as possible, so that a client's trust in `ca.pem` lasts.
 */
export async function openDevelopmentCertificate(options: DevelopmentCertificateOptions): Promise<TlsMaterial> {
  const names = certificateNames(options.hosts)
  const server =
    (await keepServer(options, names)) ?? (await renewServer(options, names)) ?? (await createAll(options, names))
  const expires_at = new X509Certificate(server.cert).validToDate.getTime()
  return { ...server, ca_file: authorityFile(options.folder), source: 'generated', expires_at }
}

/** Needs `ca.pem` only: a certificate outlives the key that signed it. */
async function keepServer(
  { folder, now }: DevelopmentCertificateOptions,
  names: CertificateName[],
): Promise<CertifiedKey | undefined> {
  const { ca_cert, cert, key } = await readCertificateFolder(folder)
  const authority = parseCertificate(ca_cert)
  const certificate = parseCertificate(cert)
  const good =
    authority &&
    certificate &&
    matchesKey(certificate, key) &&
    certificate.checkIssued(authority) &&
    certificate.verify(authority.publicKey) &&
    isValid(certificate, now, renewal_days) &&
    holdsNames(certificate, names)
  return good && cert && key ? { cert, key } : undefined
}

async function renewServer(
  { folder, now }: DevelopmentCertificateOptions,
  names: CertificateName[],
): Promise<CertifiedKey | undefined> {
  const { ca_cert, ca_key } = await readCertificateFolder(folder)
  const authority = parseCertificate(ca_cert)
  const good =
    authority?.ca && matchesKey(authority, ca_key) && isValid(authority, now, server_lifetime_days + renewal_days)
  if (!good || !ca_cert || !ca_key) return undefined
  const server = await issueServerCertificate({ cert: ca_cert, key: ca_key }, names, now)
  await writeServerCertificate(folder, server)
  return server
}

async function createAll(options: DevelopmentCertificateOptions, names: CertificateName[]): Promise<CertifiedKey> {
  const { folder, now } = options
  const authority = await createCertificateAuthority(now)
  const server = await issueServerCertificate(authority, names, now)
  const content: Required<CertificateFolder> = { ...server, ca_cert: authority.cert, ca_key: authority.key }
  if (await createCertificateFolder(folder, content)) return server
  const other = await keepServer(options, names) // another process of the same data folder was first
  if (other) return other
  await replaceCertificateFolder(folder, content)
  return server
}

/** Through the days that lie ahead. */
function isValid(certificate: X509Certificate, now: number, days: number): boolean {
  return certificate.validFromDate.getTime() <= now && certificate.validToDate.getTime() > now + days * day_ms
}

function matchesKey(certificate: X509Certificate, pem: string | undefined): boolean {
  const key = parseKey(pem)
  return key !== undefined && certificate.checkPrivateKey(key)
}

/** Damage counts as absence: these files are ours to make again. */
function parseCertificate(pem: string | undefined): X509Certificate | undefined {
  try {
    return pem === undefined ? undefined : new X509Certificate(pem)
  } catch {
    return undefined
  }
}

function parseKey(pem: string | undefined): KeyObject | undefined {
  try {
    return pem === undefined ? undefined : createPrivateKey(pem)
  } catch {
    return undefined
  }
}
