import { webhookDisabled, webhookEnabled } from './events.ts'
import { listDeliveries } from './history/list-deliveries.ts'
import { createSubscription } from './subscriptions/create-subscription.ts'
import { getSubscription } from './subscriptions/get-subscription.ts'
import { listSubscriptions } from './subscriptions/list-subscriptions.ts'

export const webhookOperations = [createSubscription, listSubscriptions, getSubscription, listDeliveries]
export const webhookEvents = [webhookDisabled, webhookEnabled]

export { openWebhooks, type Webhooks } from './open-webhooks.ts'
