export { createStint, headersOf, type Stint } from './client.ts'
export { ConnectionError, ProblemError } from './errors.ts'
export type * from './generated/types.ts'
export type { Followed, FollowedListing, Listing } from './listing.ts'
export type { CallOptions, ChangeOptions, Conditional, ListOptions, Page } from './shapes.ts'
export type { StintOptions } from './transport.ts'
export {
  type EventPayload,
  type EventType,
  eventOf,
  SignatureError,
  type SignatureFault,
  type StintEvent,
  type VerifyOptions,
  verifyWebhook,
} from './webhooks.ts'
