import type { Caller } from '#core/caller.ts'
import { sensitiveDataRequired } from '#core/problems/problems.ts'
import { checkHost } from '../egress/check-host.ts'
import { checkUrl, type UrlRefusal } from '../egress/url-rules.ts'
import { unknownEventType, urlProblems } from '../problems.ts'
import type { WebhookRoom } from '../room.ts'

/** What is known of a receiver url before the transaction begins. */
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
  throw urlProblems[code](`${detail[0]?.toUpperCase()}${detail.slice(1)}.`, {
    errors: [{ pointer: '/url', message: detail }],
  })
}

/** Names are written out one by one: a pattern would silently take in types that are yet to come. */
export function refuseUnknownTypes(events: readonly string[], { catalogue }: WebhookRoom): void {
  const unknown = events.flatMap((name, index) => (catalogue.has(name) ? [] : [{ name, index }]))
  if (unknown.length === 0) return
  throw unknownEventType(`There is no event type ${unknown.map(({ name }) => name).join(', ')}.`, {
    errors: unknown.map(({ index }) => ({ pointer: `/events/${index}`, message: 'is not an event type' })),
  })
}

/** Payloads never show more than the credential that asked for them may see. */
export function refuseUngranted(sensitive_data: readonly string[], caller: Caller): void {
  const category = sensitive_data.find((name) => !caller.sensitive_data.has(name))
  if (category) {
    throw sensitiveDataRequired(`The calling credential was not granted ${category}, so its webhooks cannot have it.`)
  }
}
