import { createPrivateKey, X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeFolder } from '#db/make-folder.ts'
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

const renewal_days = 30

/** The files of the folder with their modes. Keys first: a pair cut in half by a crash then reads as one that does not match. */
const modes = { 'ca.key': 0o600, 'ca.pem': 0o644, 'key.pem': 0o600, 'cert.pem': 0o644 }

type Files = Record<keyof typeof modes, string>

/**
 * The certificate of the development authority in `folder` (mode 0700). What is missing, damaged, for other names or
 * within 30 days of its end is made anew, as little of it as possible, so that a client's trust in `ca.pem` lasts.
 */
export async function openDevelopmentCertificate(
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

/** Damage counts as absence: these files are ours to make again. */
function parseCertificate(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem)
  } catch {
    return null
  }
}

function matchesKey(certificate: X509Certificate, pem: string): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(pem))
  } catch {
    return false
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
