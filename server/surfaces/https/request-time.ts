import { constants, Http2ServerRequest } from 'node:http2'

/** Gives an HTTP/2 request the bound that Node keeps for HTTP/1.1 (`requestTimeout`): its body arrives in time or it ends. */
export function limitRequestTime(request: unknown, request_timeout_ms: number): void {
  if (!(request instanceof Http2ServerRequest) || request.stream.endAfterHeaders) return
  const { stream } = request
  const timer = setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), request_timeout_ms)
  const release = () => clearTimeout(timer)
  request.once('end', release)
  stream.once('close', release)
}
