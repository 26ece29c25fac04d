import { oauthClientOperations } from '#authorization/clients/oauth-clients.ts'
import { oauthGrantOperations } from '#authorization/grants.ts'
import type { TimerDefinition } from '#core/jobs/timer.ts'
import type { EventType, Operation } from '#core/operation.ts'
import { apiTokenEvents, apiTokenOperations, apiTokenTimers } from '#identity/api-tokens/api-tokens.ts'
import { accountingEvents } from '#resources/accounting/index.ts'
import { amendmentEvents, amendmentOperations, amendmentTimers } from '#resources/amendments/index.ts'
import { contractEvents, contractOperations, contractTimers } from '#resources/contracts/index.ts'
import { organizationOperations } from '#resources/organizations/index.ts'
import { peopleEvents, peopleOperations } from '#resources/people/index.ts'
import { webhookEvents, webhookOperations } from '#webhooks/index.ts'

/** Every operation of the service; a noun's operations are listed in its own index. */
export const operations = [
  ...apiTokenOperations,
  ...oauthGrantOperations,
  ...oauthClientOperations,
  ...organizationOperations,
  ...peopleOperations,
  ...contractOperations,
  ...amendmentOperations,
  ...webhookOperations,
] as unknown as readonly Operation[]

/** Every event type of the catalogue. */
export const events: readonly EventType[] = [
  ...apiTokenEvents,
  ...peopleEvents,
  ...contractEvents,
  ...amendmentEvents,
  ...accountingEvents,
  ...webhookEvents,
]

/** Every kind of timer, as each room's index lists its own. */
export const timers: readonly TimerDefinition[] = [...apiTokenTimers, ...contractTimers, ...amendmentTimers]
