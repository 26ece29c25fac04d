import { isIP } from 'node:net'

const address_characters_max = 2_048

/** Whether a client_id is the address of a document rather than an id of ours. */
export const looksLikeAddress = (client_id: string) => client_id.includes('://')

/**
 * The address of a client's document (CIMD §3): `https`, a host name, a path. It must be spelled as it is parsed, so that
 * one client has one id: no dot segments, no upper-case host, no port that goes without saying.
 */
export function documentAddress(client_id: string): URL | null {
  if (client_id.length > address_characters_max || !client_id.startsWith('https://')) return null
  const url = URL.parse(client_id)
  if (!url || url.href !== client_id) return null
  const isPlain = url.search === '' && url.hash === '' && url.username === '' && url.password === ''
  const isName = isIP(url.hostname) === 0 && !url.hostname.startsWith('[')
  // An empty query, fragment or user name leaves no trace in the parts.
  return isPlain && isName && url.pathname !== '/' && !/[?#@\\]/.test(client_id) ? url : null
}
