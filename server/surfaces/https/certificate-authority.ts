import { createPrivateKey, KeyObject, randomBytes, webcrypto, type X509Certificate } from 'node:crypto'
import type { Extension, X509CertificateCreateWithKeyParams } from '@peculiar/x509'

export interface CertifiedKey {
  /** PEM. */
  cert: string
  /** PEM, PKCS #8. */
  key: string
}

export interface CertificateName {
  type: 'dns' | 'ip'
  value: string
}

export const day_ms = 86_400_000
/** Browsers refuse more than 398 days for a server (CA/Browser Forum, Baseline Requirements 6.3.2). */
export const server_lifetime_days = 396
const authority_lifetime_days = 3650
/** A client whose clock runs behind ours still accepts a certificate made this moment. */
const backdated_ms = 3_600_000
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

/** Makes a root for this installation; the name differs each time so that several fit side by side in a trust store. */
export async function createCertificateAuthority(now: number): Promise<CertifiedKey> {
  const x509 = await loadX509()
  const keys = await createKeys()
  const name = `CN=Stint development CA ${randomBytes(4).toString('hex')}, O=Stint`
  return certify(x509, keys, now, authority_lifetime_days, {
    subject: name,
    issuer: name,
    signingKey: keys.privateKey,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    ],
  })
}

/**
 * Issues a server certificate for the names, with a new key. Both key identifiers and critical constraints: OpenSSL's
 * strict mode, on by default in Python 3.13, asks for them.
 */
export async function issueServerCertificate(
  authority: CertifiedKey,
  names: readonly CertificateName[],
  now: number,
): Promise<CertifiedKey> {
  const x509 = await loadX509()
  const issuer = new x509.X509Certificate(authority.cert)
  return certify(x509, await createKeys(), now, server_lifetime_days, {
    subject: 'CN=Stint server, O=Stint',
    issuer: issuer.subjectName,
    signingKey: createPrivateKey(authority.key).toCryptoKey(algorithm, false, ['sign']),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([...names]),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  })
}

/** As browsers compare: by the alternative names only (RFC 9525 §6). */
export function isForName(certificate: X509Certificate, { type, value }: CertificateName): boolean {
  return (type === 'ip' ? certificate.checkIP(value) : certificate.checkHost(value, { subject: 'never' })) !== undefined
}

type X509Library = typeof import('@peculiar/x509')
async function certify(
  x509: X509Library,
  { publicKey, privateKey }: webcrypto.CryptoKeyPair,
  now: number,
  lifetime_days: number,
  contents: Omit<X509CertificateCreateWithKeyParams, 'publicKey'> & { extensions: Extension[] },
): Promise<CertifiedKey> {
  const certificate = await x509.X509CertificateGenerator.create({
    ...contents,
    publicKey,
    notBefore: new Date(now - backdated_ms),
    notAfter: new Date(now + lifetime_days * day_ms),
    extensions: [...contents.extensions, await x509.SubjectKeyIdentifierExtension.create(publicKey)],
  })
  const key = KeyObject.from(privateKey).export({ type: 'pkcs8', format: 'pem' }).toString()
  return { cert: `${certificate.toString('pem').trim()}\n`, key }
}

const createKeys = () => webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])

/**
 * Loads `@peculiar/x509` when a certificate must be made: 75 ms which no later start pays.
 *
 * Its dependency container (tsyringe) refuses to load without the decorator metadata reflection that no engine has.
 * The library declares none, so an empty reflection is all it needs, and only while it loads.
 */
export async function loadX509(): Promise<X509Library> {
  const absent = Object.entries(empty_reflection).filter(([name]) => !Reflect.has(Reflect, name))
  Object.assign(Reflect, Object.fromEntries(absent))
  try {
    return await import('@peculiar/x509')
  } finally {
    for (const [name] of absent) Reflect.deleteProperty(Reflect, name)
  }
}

const empty_reflection = { getMetadata: () => undefined, getOwnMetadata: () => undefined }
