/** A request that a page made: `GET /console/rest/v2/people`. */
export interface Asked {
  method: string
  path: string
}

type Document = { paths: Record<string, Record<string, unknown>> }

/** Read by the reference itself; anybody may. */
const documents = new Set(['/openapi.json', '/openapi.yaml'])

/**
 * Requests that are neither operations of the public API nor the console's own sign-in: what a person can do with the pages, a
 * program can do with a token.
 */
export function strangeRequests({ paths }: Document, asked: readonly Asked[]): string[] {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => new RegExp(`^${method} ${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`, 'i')),
  )
  const isKnown = ({ method, path }: Asked) => {
    const [, own] = /^(?:\/console)?\/rest\/v2(\/.*)$/.exec(path) ?? []
    if (own === undefined) return path.startsWith('/console/auth/') || documents.has(path)
    return operations.some((operation) => operation.test(`${method} ${own}`))
  }
  return [...new Set(asked.filter((one) => !isKnown(one)).map(({ method, path }) => `${method} ${path}`))]
}
