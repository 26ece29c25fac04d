import { isIP } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { domainToUnicode } from 'node:url'
import {
  type Destination,
  destinationOf,
  type EgressPolicy,
  isAddressAllowed,
  isLoopback,
  isOfThisMachine,
  isPortAllowed,
  judgeAddress,
} from './address-rules.ts'
import type { NameResolver } from './resolver.ts'

export type UrlRefusalCode =
  | 'url_invalid'
  | 'url_not_https'
  | 'url_credentials'
  | 'url_fragment'
  | 'url_port_forbidden'
  | 'url_host_forbidden'
  | 'url_own_host'
  | 'url_address_forbidden'

/** Why a receiver url is refused; `detail` is one public sentence without a full stop. */
export interface UrlRefusal {
  code: UrlRefusalCode
  detail: string
}

/** Bytes; the schema of the operations refuses a longer url first, with 400. */
export const URL_BYTES_MAX = 2_048
const NAME_BYTES_MAX = 253
const LABEL_BYTES_MAX = 63

// RFC 3986 section 2: unreserved, reserved, and complete percent-encodings.
const URL_TEXT = /^(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+$/
const FORBIDDEN_SUFFIXES = ['localhost', 'local', 'internal', 'svc', 'home.arpa', 'onion']

/**
 * Judges a receiver url by rules U1–U6 without contacting anything. Answers the parsed url, from which alone host, port
 * and path may be taken, or the first rule it breaks. Never throws.
 */
export function checkUrl(raw: string, policy: EgressPolicy): URL | UrlRefusal {
  const text_refusal = checkText(raw, policy)
  if (text_refusal) return text_refusal
  const url = URL.parse(raw)
  if (!url) return refuse('url_invalid', 'the url cannot be parsed')
  const destination = destinationOf(url)
  const { host, port } = destination
  const name = host.replace(/\.$/, '')
  if (policy.own_hosts.has(name) || (policy.own_ports.has(port) && isOfThisMachine(name))) return leads_to_us
  const is_name = isIP(host) === 0
  const name_refusal = is_name && checkName(destination, policy)
  if (name_refusal) return name_refusal
  if (!isPortAllowed(destination, policy)) return refuse('url_port_forbidden', `port ${port} is not allowed`)
  return (is_name ? null : checkAddress(destination, policy)) ?? url
}

const refuse = (code: UrlRefusalCode, detail: string): UrlRefusal => ({ code, detail })
const leads_to_us = refuse('url_own_host', 'the url leads to this service itself')
const only_loopback = refuse('url_not_https', 'plain http is possible for localhost and loopback addresses only')

function checkText(raw: string, policy: EgressPolicy): UrlRefusal | null {
  if (raw === '' || raw.length > URL_BYTES_MAX)
    return refuse('url_invalid', `the url must have 1 to ${URL_BYTES_MAX} bytes`)
  if (!URL_TEXT.test(raw)) return refuse('url_invalid', 'the url contains a character that RFC 3986 does not allow')
  if (raw.includes('%00')) return refuse('url_invalid', 'the url contains an encoded NUL')
  // U1 admits http only for a loopback host; which hosts those are is decided by checkName and checkAddress.
  const scheme = policy.allow_loopback_http ? /^https?:\/\//i : /^https:\/\//i
  if (!scheme.test(raw)) return refuse('url_not_https', 'the url must begin with https://')
  // The authority is read here because the parser forgets an empty user name, an empty fragment and surplus slashes.
  const [authority = ''] = raw.slice(raw.indexOf('//') + 2).split(/[/?#]/, 1)
  if (authority.includes('@')) return refuse('url_credentials', 'the url must not contain a user name or password')
  if (raw.includes('#')) return refuse('url_fragment', 'the url must not contain a fragment')
  return authority === '' ? refuse('url_invalid', 'the url has no host') : null
}

function checkName({ host, tls }: Destination, policy: EgressPolicy): UrlRefusal | null {
  const labels = host.split('.')
  if (host.endsWith('.')) return refuse('url_host_forbidden', 'the host name must not end in a dot')
  if (host.length > NAME_BYTES_MAX || labels.some((label) => label === '' || label.length > LABEL_BYTES_MAX))
    return refuse('url_invalid', 'the host name has an empty or too long label')
  // The parser of Node 26.10 lets undecodable punycode pass; domainToUnicode leaves exactly such labels as they are.
  if (host.includes('xn--') && domainToUnicode(host).includes('xn--'))
    return refuse('url_invalid', 'the host name contains invalid punycode')
  if (!tls && host !== 'localhost') return only_loopback
  if (labels.length > 1 && !FORBIDDEN_SUFFIXES.some((suffix) => host.endsWith(`.${suffix}`))) return null
  // One setting has to suffice for a receiver on this machine: opening a loopback network also admits the name.
  const opens_loopback = !tls || isAddressAllowed('127.0.0.1', policy) || isAddressAllowed('::1', policy)
  if (policy.allowed_hosts.has(host) || (host === 'localhost' && opens_loopback)) return null
  return refuse('url_host_forbidden', `the host name ${host} is not a public one`)
}

function checkAddress(destination: Destination, policy: EgressPolicy): UrlRefusal | null {
  const { host, tls } = destination
  if (!tls && !isLoopback(host)) return only_loopback
  const judgement = judgeAddress(host, destination, policy)
  return judgement === 'allowed' ? null : refuse(judgement, `the address ${host} is not a public one`)
}

/** U8: how long a POST or PATCH waits for the addresses of a name. */
export const HOST_CHECK_MS = 3_000

/**
 * Judges, when a subscription is written, the addresses to which the name of a checked url resolves now. A name that
 * does not resolve in time is `unresolved`, which is a warning; every attempt judges the addresses again.
 */
export async function checkHost(
  url: URL,
  policy: EgressPolicy,
  resolver: NameResolver,
  timeout_ms: number = HOST_CHECK_MS,
): Promise<'permitted' | 'unresolved' | UrlRefusal> {
  const destination = destinationOf(url)
  // checkUrl has judged it already.
  if (isIP(destination.host) !== 0) return 'permitted'
  const expired = setTimeout(timeout_ms, null, { ref: false })
  const answer = await Promise.race([resolver.resolve(destination.host), expired])
  if (!answer || 'code' in answer) return 'unresolved'
  const judgements = answer.addresses.map((address) => judgeAddress(address, destination, policy))
  if (judgements.includes('url_own_host')) return leads_to_us
  if (judgements.includes('allowed')) return 'permitted'
  return refuse('url_address_forbidden', 'no address of the host is a public one')
}
