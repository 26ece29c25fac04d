import type { IncomingMessage } from 'node:http'
import { expectationFailed, headersTooLarge, malformedRequest, type Problem } from '#core/problems.ts'
import { listener_limits } from './limits.ts'

/** The bytes that a field takes beside its name and value (RFC 7541 §4.1). */
const field_overhead_bytes = 32

/**
 * The fault of the head of a request that the parsers let pass, or null. One bound for both protocols: HTTP/2 has none
 * of its own before the client has confirmed our settings, and what it refuses itself it only resets.
 */
export function faultOfHead({
  rawHeaders = [],
  headers,
  httpVersion,
  httpVersionMajor,
}: IncomingMessage): Problem | null {
  if (rawHeaders.length / 2 > listener_limits.header_fields_max) return headersTooLarge()
  const overhead = httpVersionMajor === 2 ? field_overhead_bytes / 2 : 0
  const bytes = rawHeaders.reduce((sum, text) => sum + text.length + overhead, 0)
  if (bytes > listener_limits.header_bytes_max) return headersTooLarge()
  const hosts = rawHeaders.filter((_, at) => at % 2 === 1 && host_fields.has(rawHeaders[at - 1]?.toLowerCase() ?? ''))
  // RFC 9112 §3.2; RFC 9113 §8.3.1 allows HTTP/2 both fields when they say the same.
  if (httpVersionMajor === 2 ? new Set(hosts).size > 1 : hosts.length > 1) {
    return malformedRequest('The request names its host more than once.')
  }
  if (httpVersion === '1.1' && hosts.length === 0) return malformedRequest('The request names no host.')
  if (!hosts.every((host) => host_form.test(host))) {
    return malformedRequest('The host of the request is none: send its name, and its port where there is one.')
  }
  const { expect } = headers
  return expect === undefined || expect.toLowerCase() === '100-continue' ? null : expectationFailed()
}

const host_fields = new Set(['host', ':authority'])

/** RFC 9110 §7.2: a name or an address with an optional port; for `https` it is not empty (§4.2.2). */
const host_form = /^(?:\[[\da-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})+)(?::\d*)?$/i
