import type { Step } from '../story.ts'

/** The cycles issue the invoices; beside them one is issued by hand, and taken back. */
export const invoices: Step[] = [
  {
    ...{ on: '2026-03-23', kind: 'rest', operation: 'invoices.create', makes: 'off-cycle' },
    input: { contract_id: '@C03', invoice_adjustment_ids: ['@X11'] },
  },
  {
    ...{ on: '2026-03-24', kind: 'rest', operation: 'invoices.cancel' },
    input: { invoice_id: '@off-cycle', reason: 'The expense goes on the invoice of the month.' },
  },
]

const number = (place: number) => `INV-2026-${String(place).padStart(6, '0')}`

/** Finds the invoices of so far by their numbers. */
const found = (on: string): Step => ({
  ...{ on, kind: 'rest', operation: 'invoices.list', input: { limit: 100 }, names: 'number' },
})
const paid = (on: string, key: string, places: number[], reference: string): Step => ({
  ...{ on, kind: 'rest', operation: 'payments.create', makes: key },
  input: { invoice_ids: places.map((place) => `@${number(place)}`), reference, external_id: key },
})
const ended = (on: string, key: string, operation: 'settle' | 'fail' | 'cancel', input: object = {}): Step => ({
  ...{ on, kind: 'rest', operation: `payments.${operation}`, input: { payment_id: `@${key}`, ...input } },
})

export const payments: Step[] = [
  found('2026-03-03T10:00:00Z'),
  paid('2026-03-03T10:00:00Z', 'P1', [1, 3, 7, 8], 'February, euro'),
  paid('2026-03-03T10:05:00Z', 'P2', [2, 5], 'February, kroner'),
  ended('2026-03-04T14:00:00Z', 'P1', 'settle', { fee: '4.50' }),
  ended('2026-03-04T14:00:00Z', 'P2', 'settle'),
  found('2026-03-24T10:00:00Z'),
  paid('2026-03-24T10:00:00Z', 'P3', [9, 15], 'Bookkeeping'),
  paid('2026-03-24T10:05:00Z', 'P4', [12, 16], 'Site reliability'),
  ended('2026-03-25T14:00:00Z', 'P3', 'fail', { reason: 'The bank does not know the account.' }),
  ended('2026-03-25T14:00:00Z', 'P4', 'settle', { fee: '12.00' }),
  found('2026-04-08T10:00:00Z'),
  paid('2026-04-08T10:00:00Z', 'P5', [10, 14, 20], 'March, API development'),
  {
    ...{ on: '2026-04-09', kind: 'rest', operation: 'organizations.update' },
    input: { organization_id: '@organization', settings: { payment_approval: 'second_person' } },
  },
  paid('2026-04-09T10:00:00Z', 'P6', [4, 18], 'Customer support'),
  paid('2026-04-09T10:05:00Z', 'P7', [6, 21], 'Mobile backend'),
  { ...ended('2026-04-10', 'P7', 'cancel', { reason: 'The invoices are still in question.' }), by: 'omar' },
]
