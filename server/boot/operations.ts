import { oauthClientOperations } from '#authorization/clients/oauth-clients.ts'
import { oauthGrantOperations } from '#authorization/grants.ts'
import type { TimerDefinition } from '#core/jobs/timer.ts'
import { definedEvents, type EventType, type Operation } from '#core/operation.ts'
import { apiTokenOperations, apiTokenTimers } from '#identity/api-tokens/api-tokens.ts'
import '#resources/accounting/index.ts'
import { amendmentOperations, amendmentTimers } from '#resources/amendments/index.ts'
import { contractOperations, contractTimers } from '#resources/contracts/index.ts'
import { organizationOperations } from '#resources/organizations/index.ts'
import { peopleOperations } from '#resources/people/index.ts'
import { teamOperations } from '#resources/teams/index.ts'
import { webhookOperations } from '#webhooks/index.ts'

/** Every operation of the service; a noun's operations are listed in its own index. */
export const operations = [
  ...apiTokenOperations,
  ...oauthGrantOperations,
  ...oauthClientOperations,
  ...organizationOperations,
  ...teamOperations,
  ...peopleOperations,
  ...contractOperations,
  ...amendmentOperations,
  ...webhookOperations,
] as unknown as readonly Operation[]

/** Every kind of timer, as each room's index lists its own. */
export const timers: readonly TimerDefinition[] = [...apiTokenTimers, ...contractTimers, ...amendmentTimers]

/** Every event type of the catalogue. */
export const events: readonly EventType[] = definedEvents()
