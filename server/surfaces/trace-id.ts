/** The trace id of a W3C `traceparent`, for the events this call causes. */
export function traceIdOf(header: string | string[] | undefined): string | null {
  return (
    (typeof header === 'string' && /^[\da-f]{2}-(?!0{32})([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/.exec(header)?.[1]) ||
    null
  )
}
