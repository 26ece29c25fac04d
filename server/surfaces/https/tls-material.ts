import { createPrivateKey, X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { isIPv4 } from 'node:net'
import { dirname, join } from 'node:path'
import { createSecureContext } from 'node:tls'
import { domainToASCII } from 'node:url'
import { makeFolder } from '#db/make-folder.ts'
import { StartRefused } from '#db/start-refused.ts'
import { canonicalAddress } from './address.ts'
import {
  type CertificateName,
  type CertifiedKey,
  createCertificateAuthority,
  day_ms,
  isForName,
  issueServerCertificate,
  server_lifetime_days,
} from './certificate-authority.ts'
import { writeFileAtomically } from './write-file-atomically.ts'

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

const renewal_days = 30

/** The files of the folder with their modes. Keys first: a pair cut in half by a crash then reads as one that does not match. */
const modes = { 'ca.key': 0o600, 'ca.pem': 0o644, 'key.pem': 0o600, 'cert.pem': 0o644 }

type Files = Record<keyof typeof modes, string>

/**
 * The certificate of the development authority in `folder` (mode 0700). What is missing, damaged, for other names or
 * within 30 days of its end is made anew, as little of it as possible, so that a client's trust in `ca.pem` lasts.
 */
async function openDevelopmentCertificate(
  folder: string,
  names: readonly CertificateName[],
  now: number,
): Promise<CertifiedKey & { ca_file: string }> {
  const ca_file = join(folder, 'ca.pem')
  const held = await readFiles(folder)
  const kept = serverIn(held, names, now)
  if (kept) return { ...kept, ca_file }
  const known = authorityIn(held, now)
  const authority = known ?? (await createCertificateAuthority(now))
  const made = await issueServerCertificate(authority, names, now)
  const files = { 'ca.key': authority.key, 'ca.pem': authority.cert, 'key.pem': made.key, 'cert.pem': made.cert }
  if (!known) {
    if (await createFolder(folder, files)) return { ...made, ca_file }
    const other = serverIn(await readFiles(folder), names, now) // another process of the same data folder was first
    if (other) return { ...other, ca_file }
    await chmod(folder, 0o700)
  }
  await writeFiles(folder, files)
  return { ...made, ca_file }
}

/** Needs `ca.pem` only: a certificate outlives the key that signed it. */
function serverIn(files: Files, names: readonly CertificateName[], now: number): CertifiedKey | null {
  const authority = parseCertificate(files['ca.pem'])
  const certificate = parseCertificate(files['cert.pem'])
  const isGood =
    authority &&
    certificate &&
    matchesKey(certificate, files['key.pem']) &&
    certificate.checkIssued(authority) &&
    certificate.verify(authority.publicKey) &&
    isValid(certificate, now, renewal_days) &&
    isForNames(certificate, names)
  return isGood ? { cert: files['cert.pem'], key: files['key.pem'] } : null
}

function authorityIn({ 'ca.pem': cert, 'ca.key': key }: Files, now: number): CertifiedKey | null {
  const authority = parseCertificate(cert)
  const lifetime_days = server_lifetime_days + renewal_days
  return authority?.ca && matchesKey(authority, key) && isValid(authority, now, lifetime_days) ? { cert, key } : null
}

/** Through the days that lie ahead. */
function isValid({ validFromDate, validToDate }: X509Certificate, now: number, days: number): boolean {
  return validFromDate.getTime() <= now && validToDate.getTime() > now + days * day_ms
}

/** For these names and no other. */
function isForNames(certificate: X509Certificate, names: readonly CertificateName[]): boolean {
  const held = certificate.subjectAltName?.split(', ') ?? []
  return held.length === names.length && names.every((name) => isForName(certificate, name))
}

const parseCertificate = (pem: string) => orAbsent(() => new X509Certificate(pem))
const matchesKey = (certificate: X509Certificate, pem: string) =>
  orAbsent(() => certificate.checkPrivateKey(createPrivateKey(pem)))

/** Damage counts as absence: these files are ours to make again. */
function orAbsent<Result>(read: () => Result): Result | null {
  try {
    return read()
  } catch {
    return null
  }
}

/** Texts of the files; empty where one is missing. */
async function readFiles(folder: string): Promise<Files> {
  const read = (name: string) => (existsSync(join(folder, name)) ? readFile(join(folder, name), 'utf8') : '')
  const texts = await Promise.all(Object.keys(modes).map(async (name) => [name, await read(name)]))
  return Object.fromEntries(texts)
}

async function writeFiles(folder: string, files: Files): Promise<void> {
  for (const [name, mode] of Object.entries(modes)) {
    // The cast holds because both have the same names.
    await writeFileAtomically(join(folder, name), files[name as keyof Files], mode)
  }
}

/**
 * Makes the folder appear with all its files at once. Of several processes starting together one wins; false tells the
 * others, and whoever finds a folder with content, that nothing was changed.
 */
async function createFolder(folder: string, files: Files): Promise<boolean> {
  makeFolder(dirname(folder))
  const draft = await mkdtemp(`${folder}.new-`)
  try {
    await writeFiles(draft, files)
    return await rename(draft, folder).then(
      () => true,
      () => false,
    )
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}
