import { X509Certificate } from 'node:crypto'
import type { Logger } from 'pino'
import { gauge } from '#core/metrics.ts'
import { type CertifiedKey, day_ms, isForName } from './certificate-authority.ts'
import { certificateName, type TlsMaterial } from './tls-material.ts'

/** Less is left only where a renewal failed: of certificates for 90 days the last third begins after 60. */
const soon_days = 14
const soon_share = 1 / 3
/** Days before the end at which the log tells of it, once each, as far as they lie in that last part. */
const told_days = [30, 14, 7, 1]

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

/** Looks at the files this often: the material is read anew, which takes 1 ms, and served only where it has changed. */
const look_every_ms = 10_000

export type CertificateWatch = ReturnType<typeof watchCertificate>

/**
 * Serves a renewed certificate without a restart: our own as it nears its end, the operator's when its files change. Tells
 * when clients object to it, or will soon: in the log, by two metrics, and when asked. Does not keep the process alive.
 */
export function watchCertificate(
  first: TlsMaterial,
  { hosts, open, setTls, log, now, check_interval_ms = look_every_ms }: CertificateWatchOptions,
) {
  let served = first
  let told: readonly string[] = []
  let told_step: number | null = null
  let refused: string | null = null
  const look = () => {
    const { source, expires_at, cert } = served
    const certificate = new X509Certificate(cert)
    for (const gauge of [expiry, missingNames]) gauge.reset()
    expiry.set({ source }, expires_at / 1_000)
    missingNames.set({ source }, namesMissing(certificate, hosts).length)
    const faults = certificateFaults(served, hosts, now())
    for (const fault of faults) if (!told.includes(fault)) log.warn({ fault }, 'certificate_fault')
    told = faults
    const days_left = (expires_at - now()) / day_ms
    const step = stepOf(certificate, days_left)
    if (step !== null && step !== told_step) {
      const rounded = Math.floor(days_left * 10) / 10
      log.warn({ source, days_left: rounded, expires_at: new Date(expires_at).toISOString() }, 'certificate_expires')
    }
    told_step = step
  }
  const renew = async () => {
    try {
      const material = await open()
      if (material.cert !== served.cert || material.key !== served.key) {
        setTls(material)
        log.info(
          { source: material.source, expires_at: new Date(material.expires_at).toISOString() },
          'certificate_served',
        )
      }
      served = material
      refused = null
    } catch (error) {
      // The former certificate stays in use, and the next look tries again: files may be half written.
      const reason = error instanceof Error ? error.message : String(error)
      if (reason !== refused) log.error({ err: error }, 'certificate_not_renewed')
      refused = reason
    }
    look()
  }
  look()
  const timer = setInterval(renew, check_interval_ms).unref()
  return {
    /** Faults that clients will object to, now, in words for the operator. */
    faults: () => [
      ...certificateFaults(served, hosts, now()),
      ...(refused === null ? [] : [`the former certificate is still served, since the new one cannot be: ${refused}`]),
    ],
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
  const next = source === 'files' ? ': put a new one there, which is read within ten seconds' : ''
  const faults = faultsOfTime(certificate, now).map((fault) => `${what} ${fault}${next}`)
  const missing = namesMissing(certificate, hosts).join(', ')
  if (missing === '') return faults
  const names = certificate.subjectAltName ?? 'no name'
  return [...faults, `${what} is not for ${missing}, the configured address of the service; it is for ${names}`]
}

/** The last of the days told of that the certificate has come to; null before the first and after its end, which is a fault. */
function stepOf({ validFromDate, validToDate }: X509Certificate, days_left: number): number | null {
  const soon = ((validToDate.getTime() - validFromDate.getTime()) / day_ms) * soon_share
  return told_days.filter((days) => days < soon && days_left > 0 && days_left <= days).at(-1) ?? null
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
