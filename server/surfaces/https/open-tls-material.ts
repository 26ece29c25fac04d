import { join } from 'node:path'
import { openDevelopmentCertificate } from './development-certificate.ts'
import { readOwnCertificate } from './own-certificate.ts'
import type { TlsMaterial } from './tls-material.ts'

export interface TlsMaterialOptions {
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
 * 30 days of its end. Throws `TlsConfigurationError` for settings the operator must correct.
 */
export async function openTlsMaterial(options: TlsMaterialOptions): Promise<TlsMaterial> {
  const { data_dir, hosts, cert_file, key_file, now } = options
  if (cert_file === undefined && key_file === undefined) {
    return openDevelopmentCertificate({ folder: join(data_dir, 'tls'), hosts, now: now() })
  }
  return readOwnCertificate({ cert_file, key_file })
}
