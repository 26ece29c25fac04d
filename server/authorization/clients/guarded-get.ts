import { readJson } from '#core/json.ts'

/** A GET through the egress guard, handed in by the composition root. It never rejects and follows no redirect. */
export type GuardedGet = (
  url: string,
  accept: string,
  deadline_ms: number,
) => Promise<{ status: number; headers: Record<string, string | string[]>; body: Buffer; is_whole: boolean } | Missing>

/**
 * Why there is no object at an address; `is_away` when that says nothing of what stands there, and may pass;
 * `reach` is `none` when not even a connection was made, `untried` when none was allowed.
 */
export interface Missing {
  failure: string
  is_away: boolean
  reach: 'some' | 'none' | 'untried'
}

/** CIMD §6.5 and the failure drill: nobody waits longer for another's server. */
const deadline_ms = 3_000

/** The JSON object at an address, with the headers it came with; or why there is none. */
export async function readJsonAt(
  get: GuardedGet,
  url: string,
  bytes_max: number,
): Promise<{ object: Record<string, unknown>; headers: Record<string, string | string[]> } | Missing> {
  const found = await get(url, 'application/json', deadline_ms)
  if ('failure' in found) return found
  const { status, headers, body, is_whole } = found
  if (status !== 200) return { ...refused(`answered ${status}`), is_away: status >= 500 || status === 429 }
  if (!is_whole || body.length > bytes_max) return refused(`is larger than ${bytes_max} bytes, or came in part`)
  const [type = ''] = String(headers['content-type'] ?? '').split(';')
  if (!/^application\/([\w.+-]+\+)?json$/i.test(type.trim())) return refused('is not of a JSON media type')
  const read = readJson(body)
  const object = 'fault' in read ? null : read.value
  if (typeof object !== 'object' || object === null || Array.isArray(object)) {
    return refused('is not a JSON object that names no member twice')
  }
  return { object: object as Record<string, unknown>, headers }
}

/** Something else stands there than was looked for. */
export const refused = (failure: string): Missing => ({ failure, is_away: false, reach: 'some' })
