import type { TlsMaterial } from './tls-material.ts'
import type { TlsPair } from './tls-server.ts'

export interface TlsRenewalOptions {
  current: TlsMaterial
  /** `openTlsMaterial` with the service's settings. */
  open: () => Promise<TlsMaterial>
  setTls: (tls: TlsPair) => void
  /** Called after each look with what is served then. */
  onLook?: (material: TlsMaterial) => void
  /** The old certificate stays in use; the next check tries again. */
  onError: (error: unknown) => void
  check_interval_ms?: number
}

/**
 * Serves a renewed certificate without a restart: our own as it nears its end, the operator's when its files change.
 * Does not keep the process alive; call the returned function to stop.
 */
export function renewTls({
  current,
  open,
  setTls,
  onLook = () => undefined,
  onError,
  check_interval_ms = 3_600_000,
}: TlsRenewalOptions): () => void {
  let served = current.cert
  const check = async () => {
    try {
      const material = await open()
      if (material.cert !== served) setTls(material)
      served = material.cert
      onLook(material)
    } catch (error) {
      onError(error)
    }
  }
  const timer = setInterval(check, check_interval_ms).unref()
  return () => clearInterval(timer)
}
