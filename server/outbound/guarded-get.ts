import { readJson } from '#core/json.ts'
import { type EgressSettings, egressPolicy } from './address-rules.ts'
import type { AttemptResult, ErrorClass } from './attempt.ts'
import { createResolver, type NameResolver } from './resolver.ts'
import { createSender } from './sender.ts'

/**
 * Why a GET has no answer, or not the one looked for; `is_away` when that may pass, because it is no refusal of ours and
 * no answer; `reach` is `none` when no address could be connected to, `untried` when none was tried. The text is for our
 * log, not for callers.
 */
export interface Missing {
  failure: string
  is_away: boolean
  reach: 'some' | 'none' | 'untried'
}

/** Reads what stands at an address, by every rule that deliveries follow; redirects are not followed. Never rejects. */
export type GuardedGet = ReturnType<typeof createGuardedGet>['get']

/** Error classes that say something of the address itself, and those with which nothing was tried. */
const refusals: ReadonlySet<unknown> = new Set<ErrorClass>([
  'blocked_address',
  'protocol',
  'head_too_large',
  'redirect',
])
const untried: ReadonlySet<unknown> = new Set<ErrorClass>(['blocked_address', 'shutdown', 'internal'])

function missing({ error_class, error_phase, error_detail }: AttemptResult): Missing {
  const reach = error_phase === 'dns' || error_phase === 'connect' ? 'none' : 'some'
  return {
    failure: `${error_class}: ${error_detail}`,
    is_away: !refusals.has(error_class),
    reach: untried.has(error_class) ? 'untried' : reach,
  }
}

/** Other rooms' way out of the service. It has connections of its own, so that deliveries and it do not share limits. */
export function createGuardedGet(settings: EgressSettings, resolver: NameResolver = createResolver()) {
  const sender = createSender(egressPolicy(settings), { resolver, connections_idle_max: 16 })
  return {
    async get(url: string, accept: string, deadline_ms: number) {
      const headers = { accept, 'user-agent': 'Stint' }
      const result = await sender.send({ url, method: 'GET', headers, body: Buffer.alloc(0), deadline_ms })
      const { response_status: status, response_headers, response_body, response_cut } = result
      if (status === null) return missing(result)
      const body = response_body ?? Buffer.alloc(0)
      return { status, headers: response_headers ?? {}, body, is_whole: response_cut === null }
    },
    close() {
      sender.close()
      resolver.close()
    },
  }
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
