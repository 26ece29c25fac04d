import { paymentCompleted } from './events.ts'

export const accountingEvents = [paymentCompleted]
