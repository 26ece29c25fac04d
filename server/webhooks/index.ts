import { getEvent } from './feed/get-event.ts'
import { listEvents } from './feed/list-events.ts'
import { getDelivery } from './history/get-delivery.ts'
import { listDeliveries } from './history/list-deliveries.ts'
import { redeliver } from './history/redeliver.ts'
import { simulateEvent } from './history/simulate-event.ts'
import { listEventTypes } from './list-event-types.ts'
import { cancelReplay } from './replays/cancel-replay.ts'
import { getReplay, listReplays } from './replays/read-replays.ts'
import { startReplay } from './replays/start-replay.ts'
import { deleteSigningKey } from './signing-keys/delete-signing-key.ts'
import { listSigningKeys } from './signing-keys/list-signing-keys.ts'
import { rotateSigningKey } from './signing-keys/rotate-signing-key.ts'
import { createSubscription } from './subscriptions/create-subscription.ts'
import { deleteSubscription } from './subscriptions/delete-subscription.ts'
import { enableSubscription } from './subscriptions/enable-subscription.ts'
import { getSubscription, listSubscriptions } from './subscriptions/read-subscriptions.ts'
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

export {
  findHeld,
  type InspectionScope,
  type Invariant,
  invariants,
  releaseInternal,
  type Violations,
  violationsOf,
} from './inspection.store.ts'
export { openWebhooks, type Webhooks } from './open-webhooks.ts'
export { sealedSigningKeys } from './signature.ts'
