/** A GET through the egress guard, handed in by the composition root. It never rejects and follows no redirect. */
export type GuardedGet = (
  url: string,
  accept: string,
  deadline_ms: number,
) => Promise<{ status: number; headers: Record<string, string | string[]>; body: Buffer; is_whole: boolean } | Missing>

/** Why there is no object at an address; `is_away` when that says nothing of what stands there, and may pass. */
export interface Missing {
  failure: string
  is_away: boolean
}

/** CIMD §6.5 and the failure drill: nobody waits longer for another's server. */
const deadline_ms = 3_000

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The JSON object at an address, with the headers it came with; or why there is none. */
export async function readJsonAt(
  get: GuardedGet,
  url: string,
  bytes_max: number,
): Promise<{ object: Record<string, unknown>; headers: Record<string, string | string[]> } | Missing> {
  const found = await get(url, 'application/json', deadline_ms)
  if ('failure' in found) return found
  const { status, headers, body, is_whole } = found
  if (status !== 200) return { failure: `answered ${status}`, is_away: status >= 500 || status === 429 }
  if (!is_whole || body.length > bytes_max) return refused(`is larger than ${bytes_max} bytes, or came in part`)
  const [type = ''] = String(headers['content-type'] ?? '').split(';')
  if (!/^application\/([\w.+-]+\+)?json$/i.test(type.trim())) return refused('is not of a JSON media type')
  try {
    const object: unknown = JSON.parse(utf8.decode(body))
    if (typeof object === 'object' && object !== null && !Array.isArray(object)) {
      return { object: object as Record<string, unknown>, headers }
    }
  } catch {
    // Said below: what cannot be parsed is no JSON object.
  }
  return refused('is not a JSON object')
}

const refused = (failure: string): Missing => ({ failure, is_away: false })
