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
