/** A call for the command line; never with a token in it. */
export function curlOf(base_url: string, method: string, path: string, body?: unknown): string {
  const address = base_url + path
  const parts = [
    `curl ${/^[\w:/.-]+$/.test(address) ? address : inQuotes(address)}`,
    '-H "Authorization: Bearer $STINT_TOKEN"',
  ]
  if (method !== 'GET' && !(method === 'POST' && body !== undefined)) parts.push(`-X ${method}`)
  if (body !== undefined) {
    parts.push("-H 'Content-Type: application/json'", `-d ${inQuotes(JSON.stringify(body))}`)
  }
  return parts.join(' \\\n  ')
}

/** A word of the shell that stands for exactly this text. */
export const inQuotes = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
