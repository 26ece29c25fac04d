import type { ServerOptions } from 'node:http'
import { createSecureServer, type Http2SecureServer, type ServerHttp2Session } from 'node:http2'
import { Socket } from 'node:net'
import type { ListenerLimits } from './limits.ts'

export interface TlsPair {
  /** PEM. */
  cert: string
  key: string
}

/** What a secure context is made of, at the start and at each renewal. */
export const secureContext = ({ cert, key }: TlsPair) => ({ cert, key, minVersion: 'TLSv1.2' as const })

/** The bounds that HTTP/1.1 has in common with and without TLS. */
export function http1Options(limits: ListenerLimits): ServerOptions {
  return {
    noDelay: true,
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
    settings: { maxConcurrentStreams: limits.streams_max, maxHeaderListSize: limits.header_bytes_max },
    maxHeaderListPairs: limits.header_fields_max,
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
