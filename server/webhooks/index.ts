import { webhookDisabled, webhookEnabled, webhookFailing } from './events.ts'
import { getEvent } from './feed/get-event.ts'
import { listEvents } from './feed/list-events.ts'
import { getDelivery } from './history/get-delivery.ts'
import { listDeliveries } from './history/list-deliveries.ts'
import { redeliver } from './history/redeliver.ts'
import { simulateEvent } from './history/simulate-event.ts'
import { listEventTypes } from './list-event-types.ts'
import { cancelReplay } from './replays/cancel-replay.ts'
import { getReplay } from './replays/get-replay.ts'
import { listReplays } from './replays/list-replays.ts'
import { startReplay } from './replays/start-replay.ts'
import { deleteSigningKey } from './signing-keys/delete-signing-key.ts'
import { listSigningKeys } from './signing-keys/list-signing-keys.ts'
import { rotateSigningKey } from './signing-keys/rotate-signing-key.ts'
import { createSubscription } from './subscriptions/create-subscription.ts'
import { deleteSubscription } from './subscriptions/delete-subscription.ts'
import { enableSubscription } from './subscriptions/enable-subscription.ts'
import { getSubscription } from './subscriptions/get-subscription.ts'
import { listSubscriptions } from './subscriptions/list-subscriptions.ts'
import { updateSubscription } from './subscriptions/update-subscription.ts'

export const webhookOperations = [
  createSubscription,
  listSubscriptions,
  getSubscription,
  updateSubscription,
  deleteSubscription,
  listEventTypes,
  enableSubscription,
  simulateEvent,
  listDeliveries,
  getDelivery,
  redeliver,
  startReplay,
  listReplays,
  getReplay,
  cancelReplay,
  listSigningKeys,
  rotateSigningKey,
  deleteSigningKey,
  listEvents,
  getEvent,
]
export const webhookEvents = [webhookFailing, webhookDisabled, webhookEnabled]

export { createGuardedGet } from '#outbound/guarded-get.ts'
export { type Invariant, inspect as inspectWebhooks, invariants } from './inspection/invariants.ts'
export { releaseDelivery } from './inspection/release.ts'
export { openWebhooks, type Webhooks } from './open-webhooks.ts'
export { sealedSigningKeys } from './signing-keys/signing-key.ts'
