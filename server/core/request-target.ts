const loopback_names = ['localhost', '127.0.0.1', '[::1]']

/**
 * The host names a request may be addressed to: those of our origins and, while the service listens on loopback, its
 * names. A page that had its own name point here (DNS rebinding) would name itself.
 */
export function ownHostNames(origins: readonly string[], listens_on: string): ReadonlySet<string> {
  const isLoopback = listens_on === 'localhost' || listens_on === '::1' || /^127\./.test(listens_on)
  return new Set([...origins.map((origin) => new URL(origin).hostname), ...(isLoopback ? loopback_names : [])])
}

/** True when a `Host` names one of these; its port is left open, because proxies and forwarded ports change it. */
export function isAddressedTo(names: ReadonlySet<string>, host: string): boolean {
  return /^[^\s/?#@\\]+$/.test(host) && names.has(URL.parse(`https://${host}`)?.hostname ?? '')
}

/** True when an origin is one of a program on the reader's own computer, on whatever port. */
export function isLoopbackOrigin(origin: string): boolean {
  const url = URL.parse(origin)
  return (
    url !== null && /^https?:$/.test(url.protocol) && url.origin === origin && loopback_names.includes(url.hostname)
  )
}

/**
 * The path that a request target names, in one spelling: whatever the router takes for the same path reads the same here
 * too. Without the origin that a target may begin with (RFC 9112 §3.2.2), without query, decoded.
 */
export function pathOfTarget(target = ''): string {
  const [path = ''] = target.replace(/^https?:\/\/[^/?]*/i, '').split(/[?#]/)
  try {
    return decodeURIComponent(path)
  } catch {
    // No path at all: the router finds nothing there either.
    return path
  }
}
