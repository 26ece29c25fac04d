import { webcrypto } from 'node:crypto'

// The certificate library needs an empty metadata API to be present; it never asks it for anything.
const metadata = { getMetadata: () => undefined, getOwnMetadata: () => undefined, defineMetadata: () => undefined }
for (const [name, method] of Object.entries(metadata))
  if (!(name in Reflect)) Object.assign(Reflect, { [name]: method })
const x509 = await import('@peculiar/x509')

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const DAY_MS = 86_400_000

/** The faults that the certificate of a receiver can have. */
export type CertificateKind = 'valid' | 'expired' | 'self_signed' | 'wrong_host' | 'unknown_root'

/** PEM texts of a server's certificate and its private key. */
export interface Certificate {
  cert: string
  key: string
}

interface Authority {
  keys: webcrypto.CryptoKeyPair
  pem: string
  name: string
}

let known_authority: Promise<Authority> | null = null

/** The root that signs every receiver of this process; made once, trusted by nobody but the test that asks for it. */
export function receiverAuthority(): Promise<Authority> {
  known_authority ??= createAuthority('CN=Receiver Test Root')
  return known_authority
}

/** A certificate for these names and addresses; `wrong_host` is for another name instead. */
export async function receiverCertificate(kind: CertificateKind, names: readonly string[]): Promise<Certificate> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const authority = kind === 'unknown_root' ? await createAuthority('CN=Unknown Root') : await receiverAuthority()
  const subject = `CN=${names[0] ?? 'localhost'}`
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject,
    issuer: kind === 'self_signed' ? subject : authority.name,
    notBefore: new Date(Date.now() - 30 * DAY_MS),
    notAfter: new Date(Date.now() + (kind === 'expired' ? -1 : 30) * DAY_MS),
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey: kind === 'self_signed' ? keys.privateKey : authority.keys.privateKey,
    extensions: [
      new x509.BasicConstraintsExtension(false),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension((kind === 'wrong_host' ? ['other.test'] : names).map(alternativeName)),
    ],
  })
  return { cert: certificate.toString('pem'), key: await privateKeyPem(keys.privateKey) }
}

async function createAuthority(name: string): Promise<Authority> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name,
    notBefore: new Date(Date.now() - 30 * DAY_MS),
    notAfter: new Date(Date.now() + 30 * DAY_MS),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
  })
  return { keys, pem: certificate.toString('pem'), name }
}

// Positive and not zero, as RFC 5280 section 4.1.2.2 demands.
const serialNumber = () => `01${Buffer.from(webcrypto.getRandomValues(new Uint8Array(8))).toString('hex')}`

const alternativeName = (name: string) =>
  /^[\d.]+$|:/.test(name) ? { type: 'ip' as const, value: name } : { type: 'dns' as const, value: name }

async function privateKeyPem(key: webcrypto.CryptoKey): Promise<string> {
  const base64 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key)).toString('base64')
  return `-----BEGIN PRIVATE KEY-----\n${base64.replace(/(.{64})/g, '$1\n').trimEnd()}\n-----END PRIVATE KEY-----\n`
}
