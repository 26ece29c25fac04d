import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import type { Logger } from 'pino'
import { Gauge } from 'prom-client'
import { metrics } from '#core/metrics.ts'
import { day_ms } from './certificate-authority.ts'
import type { TlsMaterial } from './tls-material.ts'

/** Less is left only where a renewal failed: of certificates for 90 days the last third begins after 60. */
const soon_days = 14
const soon_share = 1 / 3

// Labels, because a gauge without them shows 0 until it is set, which would be a certificate of 1970.
const expiry = new Gauge({
  name: 'tls_certificate_expiry_timestamp_seconds',
  help: 'When the certificate that is served expires; source is files (ours to be given) or generated (made here).',
  labelNames: ['source'],
  registers: [metrics],
})
const missingNames = new Gauge({
  name: 'tls_certificate_missing_names',
  help: 'How many of the configured addresses the certificate that is served is not for.',
  labelNames: ['source'],
  registers: [metrics],
})

export interface CertificateWatch {
  /** To be called with what is served, at the start and after each look at the files; tells new faults in the log. */
  look(material: TlsMaterial): void
  /** Faults that clients will object to, now, in words for the operator. */
  faults(): string[]
}

/** Tells when clients object to the certificate, or will soon: in the log, by two metrics, and to whoever asks. */
export function watchCertificate(
  first: TlsMaterial,
  { hosts, log, now }: { hosts: readonly string[]; log: Logger; now: () => number },
): CertificateWatch {
  let served = first
  let told: readonly string[] = []
  const look = (material: TlsMaterial) => {
    served = material
    const { source, expires_at, cert } = material
    for (const gauge of [expiry, missingNames]) gauge.reset()
    expiry.set({ source }, expires_at / 1_000)
    missingNames.set({ source }, namesMissing(new X509Certificate(cert), hosts).length)
    const faults = certificateFaults(material, hosts, now())
    for (const fault of faults) if (!told.includes(fault)) log.warn({ fault }, 'certificate_fault')
    told = faults
  }
  look(first)
  return { look, faults: () => certificateFaults(served, hosts, now()) }
}

/** Faults that clients object to in a certificate for these hosts: its time, and names it is not for. */
export function certificateFaults(
  { cert, source }: Pick<TlsMaterial, 'cert' | 'source'>,
  hosts: readonly string[],
  now: number,
): string[] {
  const certificate = new X509Certificate(cert)
  const what =
    source === 'files' ? 'the certificate in STINT_TLS_CERT_FILE' : 'the certificate made under the data folder'
  const next = source === 'files' ? ': put a new one there, which is read within an hour' : ''
  const missing = namesMissing(certificate, hosts)
  return [
    ...faultsOfTime(certificate, now).map((fault) => `${what} ${fault}${next}`),
    ...(missing.length > 0
      ? [
          `${what} is not for ${missing.join(', ')}, the configured address of the service; it is for ${certificate.subjectAltName ?? 'no name'}`,
        ]
      : []),
  ]
}

function faultsOfTime({ validFromDate, validToDate }: X509Certificate, now: number): string[] {
  const [from, to] = [validFromDate.getTime(), validToDate.getTime()]
  if (to <= now) return [`expired on ${validToDate.toISOString()}`]
  if (from > now) return [`is not valid before ${validFromDate.toISOString()}`]
  const isSoon = to - now < Math.min(soon_days * day_ms, (to - from) * soon_share)
  return isSoon ? [`expires on ${validToDate.toISOString()}`] : []
}

/** As browsers compare: by the alternative names only (RFC 9525 §6). */
function namesMissing(certificate: X509Certificate, hosts: readonly string[]): string[] {
  return [...new Set(hosts)].filter((host) => {
    const bare = host.replace(/^\[(.*)\]$/, '$1')
    return !(isIP(bare) ? certificate.checkIP(bare) : certificate.checkHost(bare, { subject: 'never' }))
  })
}
