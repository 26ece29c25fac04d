/** Characters, which are bytes here. */
export const redirect_uri_characters_max = 2_048

/** RFC 3986 §2 without `#` (RFC 6749 §3.1.2 forbids fragments) and without `*`, which some servers take as a wildcard. */
const uri_text = /^(?:[A-Za-z0-9\-._~:/?[\]@!$&'()+,;=]|%[0-9A-Fa-f]{2})+$/

/** RFC 8252 §7.1: a domain name of the app's maker, reversed. */
const reverse_domain = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+$/

const loopback =
  /^http:\/\/(?<host>127\.0\.0\.1|\[::1\]|localhost)(?::(?<port>\d{1,5}))?(?<path>\/[^?]*)?(?<query>\?.*)?$/

/** The fault of a redirect URI, in words for the one who registers it; null when it can be used. */
export function faultOfRedirectUri(uri: string): string | null {
  if (uri === '' || uri.length > redirect_uri_characters_max) {
    return `must have 1 to ${redirect_uri_characters_max} characters`
  }
  if (uri.includes('#')) return 'must not have a fragment'
  if (uri.includes('*')) return 'must not have a wildcard'
  if (!uri_text.test(uri)) return 'has a character that an address cannot have'
  const [scheme] = /^[a-z][a-z0-9+.-]*(?=:)/.exec(uri) ?? []
  if (scheme === undefined) return 'must begin with a scheme in lower case'
  const authority = /^[a-z][a-z0-9+.-]*:\/\/([^/?]*)/.exec(uri)?.[1]
  if (authority?.includes('@')) return 'must not have a user name'
  // Plain http only where nothing leaves the computer (RFC 8252 §7.3).
  if (scheme === 'http' && !loopback.test(uri)) return 'must be https, or http on 127.0.0.1, [::1] or localhost'
  if (scheme === 'https' || scheme === 'http') {
    return authority && URL.canParse(uri) ? null : 'must be an address with a host'
  }
  // A scheme that an app has registered, never one that a browser or another program acts upon itself: those have no dot.
  if (!reverse_domain.test(scheme) && !Object.hasOwn(knownAppSchemes, scheme)) {
    return 'must be https, http on a loopback address, or have a scheme with a dot such as com.example.app:/callback'
  }
  const rest = uri.slice(scheme.length + 1)
  return /^\/\/[^/?]|^\/(?!\/)/.test(rest) ? null : 'must go on with :// and a name, or with :/ and a path'
}

/**
 * True when a redirect URI is one of those registered: the exact text (RFC 9700 §4.1.3). The port of a loopback address
 * alone is free, because a program takes whichever it gets (RFC 8252 §7.3).
 */
export function matchesRedirectUri(registered: readonly string[], sent: string): boolean {
  if (faultOfRedirectUri(sent) !== null) return false
  const parts = loopbackParts(sent)
  return registered.some((known) => known === sent || (parts !== null && loopbackParts(known) === parts))
}

function loopbackParts(uri: string): string | null {
  const { host, path = '/', query = '' } = loopback.exec(uri)?.groups ?? {}
  return host === undefined ? null : `${host}${path}${query}`
}

/** The destination of a redirect, in the words of the consent page. */
export function redirectTarget(uri: string): { host: string; is_loopback: boolean; is_private_scheme: boolean } {
  const is_loopback = loopback.test(uri)
  const is_private_scheme = !/^https?:/.test(uri)
  const host = is_private_scheme ? (/^[^:]+/.exec(uri)?.[0] ?? uri) : new URL(uri).host
  return { host, is_loopback, is_private_scheme }
}

/**
 * Schemes without a dot by which apps are sent back that people use with tool servers, and where each is documented or
 * was seen in use. RFC 8252 §7.1 asks an app for a scheme with its domain name; these took one before they knew.
 */
export const knownAppSchemes: Readonly<Record<string, string>> = {
  claude: 'https://github.com/RevenueCat/ai-toolkit/issues/58',
  cursor: 'https://github.com/modelcontextprotocol/python-sdk/pull/895',
  goose: 'https://github.com/aaif-goose/goose/issues/5107',
  raycast: 'https://developers.raycast.com/api-reference/oauth',
  vscode: 'https://code.visualstudio.com/api/references/vscode-api#window.registerUriHandler',
  'vscode-insiders': 'https://code.visualstudio.com/api/references/vscode-api#env.uriScheme',
  vscodium: 'https://github.com/VSCodium/vscodium/blob/master/prepare_vscode.sh',
  warp: 'https://github.com/warpdotdev/warp/blob/master/app/src/uri/mod.rs',
  windsurf: 'https://docs.windsurf.com/windsurf/cascade/mcp',
  zed: 'https://github.com/zed-industries/zed/blob/main/crates/zed/src/zed/open_listener.rs',
}
