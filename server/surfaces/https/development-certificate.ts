import { createPrivateKey, X509Certificate } from 'node:crypto'
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
type FileName = keyof typeof modes
const file_names = Object.keys(modes) as FileName[] // Object.keys forgets the literal type

/** Texts of the files; empty where one is missing. */
type Files = Record<FileName, string>

/**
 * The certificate of the development authority in `folder` (mode 0700). What is missing, damaged, for other names or
 * within 30 days of its end is made anew, as little of it as possible, so that a client's trust in `ca.pem` lasts.
 */
export async function openDevelopmentCertificate(
  folder: string,
  names: readonly CertificateName[],
  now: number,
): Promise<CertifiedKey & { ca_file: string }> {
  const held = await readFiles(folder)
  const server = serverIn(held, names, now) ?? (await renewServer(folder, held, names, now))
  return { ...(server ?? (await createAll(folder, names, now))), ca_file: join(folder, 'ca.pem') }
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

async function renewServer(folder: string, files: Files, names: readonly CertificateName[], now: number) {
  const authority = parseCertificate(files['ca.pem'])
  const isGood =
    authority?.ca &&
    matchesKey(authority, files['ca.key']) &&
    isValid(authority, now, server_lifetime_days + renewal_days)
  if (!isGood) return null
  const server = await issueServerCertificate({ cert: files['ca.pem'], key: files['ca.key'] }, names, now)
  await writeFiles(folder, { 'key.pem': server.key, 'cert.pem': server.cert })
  return server
}

async function createAll(folder: string, names: readonly CertificateName[], now: number): Promise<CertifiedKey> {
  const authority = await createCertificateAuthority(now)
  const server = await issueServerCertificate(authority, names, now)
  const files = { 'ca.key': authority.key, 'ca.pem': authority.cert, 'key.pem': server.key, 'cert.pem': server.cert }
  if (await createFolder(folder, files)) return server
  const other = serverIn(await readFiles(folder), names, now) // another process of the same data folder was first
  if (other) return other
  await chmod(folder, 0o700)
  await writeFiles(folder, files)
  return server
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

/** A missing file is empty, an unreadable one throws. */
async function readFiles(folder: string): Promise<Files> {
  const read = async (name: FileName) => [name, await readFile(join(folder, name), 'utf8').catch(emptyIfMissing)]
  return Object.fromEntries(await Promise.all(file_names.map(read)))
}

function emptyIfMissing(error: unknown): string {
  if (errorCode(error) === 'ENOENT') return ''
  throw error
}

async function writeFiles(folder: string, files: Partial<Files>): Promise<void> {
  for (const name of file_names) {
    const text = files[name]
    if (text !== undefined) await writeFileAtomically(join(folder, name), text, modes[name])
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
    await rename(draft, folder)
    return true
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    if (occupied_codes.includes(errorCode(error))) return false
    throw error
  }
}

/** The words of `rename` for a target that is a folder with content: Linux, macOS and BSD, Windows. */
const occupied_codes = ['ENOTEMPTY', 'EEXIST', 'EPERM']

const errorCode = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : '')
