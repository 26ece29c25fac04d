import { defineOperation } from '#core/operation.ts'
import { Closed, PageInput, PageOf } from '#core/schema/schema.ts'
import { contract } from '#resources/contracts/index.ts'
import { ofContract } from './payment-cycle.store.ts'
import { PaymentCyclePath, paymentCycle } from './payment-cycle.ts'

export const listPaymentCycles = defineOperation({
  id: 'payment_cycles.list',
  summary: 'List the payment cycles of a contract',
  description: 'By their first day: those that are over, the active one and the upcoming one.',
  method: 'GET',
  path: '/contracts/:contract_id/payment-cycles',
  scopes: ['contracts:read', 'accounting:read'],
  input: Closed({ ...PageInput, ...contract.path, ...paymentCycle.filters }),
  output: PageOf(paymentCycle.answer),
  tool: {
    name: 'list_payment_cycles',
    text: 'List the payment periods of a contract with due dates.',
    yields: { payment_cycle_id: 'id' },
  },

  async handle({ contract_id: id, ...filter }, { caller: { organization_id }, tx, page }) {
    await contract.get(tx, { organization_id, id })
    const list = paymentCycle.list(organization_id, filter, [ofContract(id)])
    const order = ['payment_cycles.start_date', 'payment_cycles.id']
    return page({ ...list, order, direction: 'asc' }, paymentCycle.show)
  },
})

export const getPaymentCycle = defineOperation({
  id: 'payment_cycles.get',
  summary: 'Get a payment cycle',
  method: 'GET',
  path: '/contracts/:contract_id/payment-cycles/:payment_cycle_id',
  scopes: ['contracts:read', 'accounting:read'],
  input: Closed(PaymentCyclePath),
  output: paymentCycle.answer,
  lock: ({ contract_id: id }, { caller: { organization_id }, tx }) => contract.lock(tx, { organization_id, id }),
  handle: async ({ contract_id, payment_cycle_id: id }, { caller: { organization_id }, tx }) =>
    paymentCycle.show(await paymentCycle.get(tx, { organization_id, contract_id, id })),
})
