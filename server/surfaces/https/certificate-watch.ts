import { X509Certificate } from 'node:crypto'
import type { Logger } from 'pino'
import { gauge } from '#core/metrics.ts'
import { type CertifiedKey, day_ms, isForName } from './certificate-authority.ts'
import { certificateName, type TlsMaterial } from './tls-material.ts'

/** Less is left only where a renewal failed: of certificates for 90 days the last third begins after 60. */
const soon_days = 14
const soon_share = 1 / 3

// Labels, because a gauge without them shows 0 until it is set, which would be a certificate of 1970.
const expiry = gauge(
  'tls_certificate_expiry_timestamp_seconds',
  'When the certificate that is served expires; source is files (ours to be given) or generated (made here).',
  ['source'],
)
const missingNames = gauge(
  'tls_certificate_missing_names',
  'How many of the configured addresses the certificate that is served is not for.',
  ['source'],
)

interface CertificateWatchOptions {
  /** Names and addresses under which clients reach the service. */
  hosts: readonly string[]
  /** `openTlsMaterial` with the service's settings. */
  open: () => Promise<TlsMaterial>
  setTls: (tls: CertifiedKey) => void
  log: Logger
  now: () => number
  check_interval_ms?: number
}

export type CertificateWatch = ReturnType<typeof watchCertificate>

/**
 * Serves a renewed certificate without a restart: our own as it nears its end, the operator's when its files change. Tells
 * when clients object to it, or will soon: in the log, by two metrics, and when asked. Does not keep the process alive.
 */
export function watchCertificate(
  first: TlsMaterial,
  { hosts, open, setTls, log, now, check_interval_ms = 3_600_000 }: CertificateWatchOptions,
) {
  let served = first
  let told: readonly string[] = []
  const look = () => {
    const { source, expires_at, cert } = served
    for (const gauge of [expiry, missingNames]) gauge.reset()
    expiry.set({ source }, expires_at / 1_000)
    missingNames.set({ source }, namesMissing(new X509Certificate(cert), hosts).length)
    const faults = certificateFaults(served, hosts, now())
    for (const fault of faults) if (!told.includes(fault)) log.warn({ fault }, 'certificate_fault')
    told = faults
  }
  const renew = async () => {
    try {
      const material = await open()
      if (material.cert !== served.cert) setTls(material)
      served = material
      look()
    } catch (error) {
      // The old certificate stays in use; the next check tries again.
      log.error({ err: error }, 'certificate_not_renewed')
    }
  }
  look()
  const timer = setInterval(renew, check_interval_ms).unref()
  return {
    /** Faults that clients will object to, now, in words for the operator. */
    faults: () => certificateFaults(served, hosts, now()),
    stop: () => clearInterval(timer),
  }
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
  const faults = faultsOfTime(certificate, now).map((fault) => `${what} ${fault}${next}`)
  const missing = namesMissing(certificate, hosts).join(', ')
  if (missing === '') return faults
  const names = certificate.subjectAltName ?? 'no name'
  return [...faults, `${what} is not for ${missing}, the configured address of the service; it is for ${names}`]
}

function faultsOfTime({ validFromDate, validToDate }: X509Certificate, now: number): string[] {
  const [from, to] = [validFromDate.getTime(), validToDate.getTime()]
  if (to <= now) return [`expired on ${validToDate.toISOString()}`]
  if (from > now) return [`is not valid before ${validFromDate.toISOString()}`]
  const isSoon = to - now < Math.min(soon_days * day_ms, (to - from) * soon_share)
  return isSoon ? [`expires on ${validToDate.toISOString()}`] : []
}

function namesMissing(certificate: X509Certificate, hosts: readonly string[]): string[] {
  return [...new Set(hosts)].filter((host) => !isForName(certificate, certificateName(host)))
}
