/** Bounds of every connection, whoever opened it. */
export const listener_limits = {
  connections_max: 10_000,
  /** From the accepted connection to its first byte. */
  first_byte_timeout_ms: 10_000,
  handshake_timeout_ms: 10_000,
  /** From the start of an HTTP/1.1 request to the end of its header. */
  headers_timeout_ms: 20_000,
  /** From the start of a request to the end of its body. */
  request_timeout_ms: 60_000,
  /** Between two checks of HTTP/1.1 connections against the two timeouts above. */
  timeout_check_interval_ms: 5_000,
  /** An HTTP/1.1 connection between two requests. Longer than the 60 s after which common load balancers close theirs. */
  keep_alive_timeout_ms: 72_000,
  /** No byte in either direction, whatever is going on. Streams that are silent by nature send a heartbeat. */
  inactivity_timeout_ms: 120_000,
  /** Between the end of a refused connection and its cut. */
  linger_timeout_ms: 2_000,
  linger_bytes_max: 1_048_576,
  header_bytes_max: 16_384,
  /** Fields of one header. */
  header_fields_max: 100,
  /** Concurrent HTTP/2 streams of one connection. */
  streams_max: 100,
  /** HTTP/2 streams one connection may reset at once, and per second from then on ("rapid reset", CVE-2023-44487). */
  stream_resets_max: 200,
  stream_resets_per_s: 50,
  /** Malformed HTTP/2 frames, and streams beyond `streams_max`, before the connection is closed. */
  invalid_frames_max: 100,
  rejected_streams_max: 100,
}

export type ListenerLimits = typeof listener_limits
