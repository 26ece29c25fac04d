import type { ServerOptions } from 'node:http'
import { createSecureServer, type Http2SecureServer, type ServerHttp2Session } from 'node:http2'
import { Socket } from 'node:net'
import type { ListenerLimits } from './limits.ts'

export interface TlsPair {
  /** PEM. */
  cert: string
  key: string
}

/**
 * Mozilla's intermediate list (guideline 5.7): TLS 1.3, and of TLS 1.2 what is authenticated and forward secret. Without its
 * suites of finite-field Diffie–Hellman, which no client needs that has none of the others.
 */
const ciphers = [
  ...['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'],
  ...['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES128-GCM-SHA256', 'ECDHE-ECDSA-AES256-GCM-SHA384'],
  ...['ECDHE-RSA-AES256-GCM-SHA384', 'ECDHE-ECDSA-CHACHA20-POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305'],
].join(':')

/** What a secure context is made of, at the start and at each renewal. */
export const secureContext = ({ cert, key }: TlsPair) => ({ cert, key, ciphers, minVersion: 'TLSv1.2' as const })

/** The bounds that HTTP/1.1 has in common with and without TLS. */
export function http1Options(limits: ListenerLimits): ServerOptions {
  return {
    noDelay: true,
    requireHostHeader: false, // its absence is answered like every other fault of a head, see `faultOfHead`
    maxHeaderSize: limits.header_bytes_max,
    headersTimeout: limits.headers_timeout_ms,
    requestTimeout: limits.request_timeout_ms,
    connectionsCheckingInterval: limits.timeout_check_interval_ms,
    keepAliveTimeout: limits.keep_alive_timeout_ms,
  }
}

/** A server of HTTP/2 and HTTP/1.1 over TLS (ALPN, RFC 7301) that is not listening yet. */
export function createTlsServer(tls: TlsPair, limits: ListenerLimits): Http2SecureServer {
  const server = createSecureServer({
    ...secureContext(tls),
    ...http1Options(limits),
    allowHTTP1: true,
    handshakeTimeout: limits.handshake_timeout_ms,
    // Twice the bounds: up to here an answer says what is wrong (`faultOfHead`), beyond it the stream is only reset.
    settings: { maxConcurrentStreams: limits.streams_max, maxHeaderListSize: 2 * limits.header_bytes_max },
    maxHeaderListPairs: 2 * limits.header_fields_max,
    maxSessionInvalidFrames: limits.invalid_frames_max,
    maxSessionRejectedStreams: limits.rejected_streams_max,
    streamResetBurst: limits.stream_resets_max,
    streamResetRate: limits.stream_resets_per_s,
  })
  server.maxConnections = limits.connections_max
  server.setTimeout(limits.inactivity_timeout_ms)
  server.on('timeout', (idle: Socket | ServerHttp2Session) => endInactive(idle, limits.inactivity_timeout_ms))
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  return server
}

/** An HTTP/2 session is told first (GOAWAY), so that a request already under way is not lost to it. */
function endInactive(idle: Socket | ServerHttp2Session, inactivity_timeout_ms: number): void {
  if (idle instanceof Socket) {
    idle.destroy()
    return
  }
  idle.close()
  idle.setTimeout(inactivity_timeout_ms, () => idle.destroy())
}
