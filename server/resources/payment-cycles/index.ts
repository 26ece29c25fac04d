import { on } from '#core/reaction.ts'
import { contractRescheduled } from '#resources/contracts/index.ts'
import { cycleOpen, keepCycles } from './keep-cycles.ts'
import { getPaymentCycle, listPaymentCycles } from './read-cycles.ts'

export const paymentCycleOperations = [listPaymentCycles, getPaymentCycle]
export const paymentCycleTimers = [cycleOpen]

on(contractRescheduled, { place: 1, emits: [], react: keepCycles })

export { cycle_close, openNextCycles } from './keep-cycles.ts'
export { lockCyclesOf, markCyclesPaid } from './payment-cycle.store.ts'
export { PaymentCyclePath, type PaymentCycleRow, paymentCycle, paymentCycleClosed } from './payment-cycle.ts'
