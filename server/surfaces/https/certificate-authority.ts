import { createPrivateKey, KeyObject, randomBytes, webcrypto, type X509Certificate } from 'node:crypto'

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
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: `CN=Stint development CA ${randomBytes(4).toString('hex')}, O=Stint`,
    ...validity(now, authority_lifetime_days),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { cert: pemLine(certificate.toString('pem')), key: exportKey(keys.privateKey) }
}

/** Issues a server certificate for the names, with a new key. */
export async function issueServerCertificate(
  authority: CertifiedKey,
  names: readonly CertificateName[],
  now: number,
): Promise<CertifiedKey> {
  const x509 = await loadX509()
  const keys = await createKeys()
  const issuer = new x509.X509Certificate(authority.cert)
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: 'CN=Stint server, O=Stint',
    issuer: issuer.subjectName,
    ...validity(now, server_lifetime_days),
    publicKey: keys.publicKey,
    signingKey: createPrivateKey(authority.key).toCryptoKey(algorithm, false, ['sign']),
    signingAlgorithm: algorithm,
    extensions: await serverExtensions(x509, issuer, keys.publicKey, names),
  })
  return { cert: pemLine(certificate.toString('pem')), key: exportKey(keys.privateKey) }
}

/** As browsers compare: by the alternative names only (RFC 9525 §6). */
export function isForName(certificate: X509Certificate, { type, value }: CertificateName): boolean {
  return (type === 'ip' ? certificate.checkIP(value) : certificate.checkHost(value, { subject: 'never' })) !== undefined
}

/** Both key identifiers and critical constraints: OpenSSL's strict mode, on by default in Python 3.13, asks for them. */
async function serverExtensions(
  x509: X509Library,
  issuer: InstanceType<X509Library['X509Certificate']>,
  publicKey: webcrypto.CryptoKey,
  names: readonly CertificateName[],
) {
  return [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    new x509.SubjectAlternativeNameExtension([...names]),
    await x509.SubjectKeyIdentifierExtension.create(publicKey),
    await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
  ]
}

const createKeys = () => webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])

const exportKey = (key: webcrypto.CryptoKey) => KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }).toString()

const validity = (now: number, days: number) => ({
  notBefore: new Date(now - backdated_ms),
  notAfter: new Date(now + days * day_ms),
})

/** 126 random bits; the first byte keeps the number positive and its length fixed (RFC 5280 §4.1.2.2). */
function serialNumber(): string {
  const bytes = randomBytes(16)
  bytes[0] = 0x40 | ((bytes[0] ?? 0) & 0x3f)
  return bytes.toString('hex')
}

const pemLine = (pem: string) => `${pem.trim()}\n`

type X509Library = typeof import('@peculiar/x509')

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
