import type { Caller } from '#core/caller.ts'
import { sensitiveDataRequired } from '#core/problems.ts'
import { Type } from '#core/schema/schema.ts'
import { checkHost, checkUrl, type UrlRefusal } from '#outbound/url-rules.ts'
import { urlProblems, way_to_private_networks } from '../problems.ts'
import type { WebhookRoom } from '../room.ts'

/** Judgement of a receiver url before the transaction begins. */
export type ReceiverFinding = 'permitted' | 'unresolved' | UrlRefusal

/** Judges a url by its text and, if that passes, by the addresses its name has now (U1–U8). */
export async function examineReceiver(url: string, { policy, resolver }: WebhookRoom): Promise<ReceiverFinding> {
  const checked = checkUrl(url, policy)
  return checked instanceof URL ? checkHost(checked, policy, resolver) : checked
}

/** Refuses what the examination found forbidden; an unresolved name passes, since every attempt judges it again. */
export function refuseReceiver(finding: ReceiverFinding | undefined): void {
  if (typeof finding !== 'object') return
  const { code, detail } = finding
  const sentence = `${detail[0]?.toUpperCase()}${detail.slice(1)}.`
  const is_private = code === 'url_host_forbidden' || code === 'url_address_forbidden'
  throw urlProblems[code](is_private ? `${sentence} ${way_to_private_networks}` : sentence, {
    errors: [{ pointer: '/url', message: detail }],
  })
}

export const Warnings = { warnings: Type.Optional(Type.Array(Type.Enum(['url_unresolved']))) }

/** Tells of a host name that does not resolve yet. */
export function warningsOf(finding: ReceiverFinding | undefined) {
  return finding === 'unresolved' && { warnings: ['url_unresolved' as const] }
}

/** Names are written out one by one: a pattern would silently take in types that are yet to come. */
export const eventPointer = (index: number) => `/events/${index}`

/** Payloads never show more than the credential that asked for them may see. */
export function refuseUngranted(sensitive_data: readonly string[], caller: Caller): void {
  const category = sensitive_data.find((name) => !caller.sensitive_data.has(name))
  if (category) {
    throw sensitiveDataRequired(`The calling credential was not granted ${category}, so its webhooks cannot have it.`)
  }
}
