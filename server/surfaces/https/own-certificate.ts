import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import { TlsConfigurationError } from './tls-configuration-error.ts'
import type { TlsMaterial } from './tls-material.ts'

export interface OwnCertificateFiles {
  cert_file: string | undefined
  key_file: string | undefined
}

/** Reads the operator's own pair and proves that it can be served. Throws `TlsConfigurationError`. */
export async function readOwnCertificate({ cert_file, key_file }: OwnCertificateFiles): Promise<TlsMaterial> {
  if (cert_file === undefined) throw new TlsConfigurationError(`key file ${key_file} is set without a certificate file`)
  if (key_file === undefined) throw new TlsConfigurationError(`certificate file ${cert_file} is set without a key file`)
  const [cert, key] = await Promise.all([readPem(cert_file), readPem(key_file)])
  const certificate = parseCertificate(cert, cert_file)
  if (!certificate.checkPrivateKey(parseKey(key, key_file))) {
    throw new TlsConfigurationError(
      `key file ${key_file} does not match the first certificate of ${cert_file}; the server's own certificate comes first`,
    )
  }
  assertServable(cert, key, cert_file)
  return { cert, key, ca_file: null, source: 'files', expires_at: certificate.validToDate.getTime() }
}

async function readPem(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new TlsConfigurationError(`cannot read ${file}: ${reason(cause)}`, { cause })
  }
}

function parseCertificate(pem: string, file: string): X509Certificate {
  try {
    return new X509Certificate(pem)
  } catch (cause) {
    throw new TlsConfigurationError(`${file} holds no PEM certificate: ${reason(cause)}`, { cause })
  }
}

function parseKey(pem: string, file: string): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch (cause) {
    throw new TlsConfigurationError(`${file} holds no PEM private key without passphrase: ${reason(cause)}`, { cause })
  }
}

/** OpenSSL has the last word: it also reads the rest of the chain and refuses keys that are too weak. */
function assertServable(cert: string, key: string, file: string): void {
  try {
    createSecureContext({ cert, key })
  } catch (cause) {
    throw new TlsConfigurationError(`${file} cannot be served: ${reason(cause)}`, { cause })
  }
}

const reason = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause))
