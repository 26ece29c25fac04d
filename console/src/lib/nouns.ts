import type {
  EventsGetEvent,
  EventsGetDeliveries as ListedDelivery,
  OauthGrant,
  RequestLog,
  RequestLogsList,
  WebhooksGetDelivery,
  WebhooksGetSigningKeys,
  WebhooksListEventTypes,
  WebhooksReplay,
} from '#sdk/index.ts'

export type {
  ApiToken,
  AuditEntry,
  LastError,
  Member,
  MemberInvitation,
  OauthClient,
  Overview,
  Provisioning,
  Webhook,
} from '#sdk/index.ts'
export type Delivery = ListedDelivery
export type DeliveryWithAttempts = WebhooksGetDelivery
export type Attempt = WebhooksGetDelivery['attempts'][number]
export type SigningKey = WebhooksGetSigningKeys
export type EventPayload = EventsGetEvent
export type EventType = WebhooksListEventTypes
export type LoggedRequest = RequestLogsList
export type WholeRequest = RequestLog
export type Grant = OauthGrant
export type Replay = WebhooksReplay

/** The entry of a word, or of none: a newer service may know more words than this page. */
export function entryOf<Value, None>(table: Readonly<Record<string, Value>>, word: string, none: None): Value | None {
  return table[word] ?? none
}
