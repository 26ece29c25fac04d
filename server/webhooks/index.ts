import { getEvent } from './feed/get-event.ts'
import { listEvents } from './feed/list-events.ts'
import { redeliver, simulateEvent } from './history/deliver-at-request.ts'
import { getDelivery, listDeliveries } from './history/read-deliveries.ts'
import { listEventTypes } from './list-event-types.ts'
import { getOverview } from './overview/get-overview.ts'
import { cancelReplay, getReplay, listReplays, startReplay } from './replays/replay.ts'
import { deleteSigningKey, listSigningKeys, rotateSigningKey } from './signing-keys/signing-keys.ts'
import { createSubscription } from './subscriptions/create-subscription.ts'
import { getSubscription, listSubscriptions } from './subscriptions/read-subscriptions.ts'
import { deleteSubscription, enableSubscription, updateSubscription } from './subscriptions/update-subscription.ts'

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
  getOverview,
]
