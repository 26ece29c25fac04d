import assert from 'node:assert/strict'
import { cases } from '#test/cases.ts'
import { contractIn } from '#test/contract-states.ts'
import { done } from '#test/invoices.ts'
import type { TestService } from '#test/service.ts'
import { enter } from '#test/work-items.ts'

const names =
  'number,status,contract_id,worker_email,worker_name,issue_date,due_date,paid_at,line_position,line_type,' +
  'line_description,source_kind,source_id,quantity,unit_price,amount,currency,is_taxable,vat_rate,vat_total,total'
const period = { from: '2026-06-01', to: '2026-06-30' }

/** An invoice with descriptions that a spreadsheet would run, and a deduction. */
async function given(t: TestService) {
  const contract = await contractIn(t, 'active', { start_date: '2026-06-01', tax: { vat_rate: '19' } })
  const bonus = await enter(t, 'invoice_adjustments', contract, {
    type: 'bonus',
    amount: '100.00',
    description: '=1+1',
  })
  const deduction = await enter(t, 'invoice_adjustments', contract, {
    ...{ type: 'deduction', amount: '10.00', description: 'said "so",\nthen' },
  })
  const invoice_adjustment_ids = [bonus.id, deduction.id]
  const invoice = await done(t, 'POST', '/invoices', { contract_id: contract.contract_id, invoice_adjustment_ids })
  return { ...contract, bonus, deduction, invoice }
}

const rows = (text: string) => text.split('\r\n')

cases(
  'invoices.export',
  {
    'one row per line, ready for a spreadsheet': {
      as: 'admin',
      input: period,
      headers: { 'content-type': 'text/csv; charset=utf-8' },
      async afterwards(_, { body, given: { contract_id, bonus, deduction, invoice } }) {
        const head = `INV-2026-000001,pending,${contract_id},${invoice.worker_email},Jonas Weber,2026-06-15,2026-06-22,`
        assert.deepEqual(rows(body), [
          names,
          `${head},1,bonus,'=1+1,invoice_adjustment,${bonus.id},1,100.00,100.00,EUR,true,19,17.10,107.10`,
          `${head},2,deduction,"said ""so"",\nthen",invoice_adjustment,${deduction.id},1,-10.00,-10.00,EUR,true,19,17.10,107.10`,
          '',
        ])
      },
    },
    'without compensation amounts are empty': {
      as: 'client without compensation',
      input: period,
      headers: { 'sensitive-data-withheld': 'compensation' },
      async afterwards(_, { body }) {
        assert.match(rows(body)[1] ?? '', /,1,,,EUR,true,19,,$/)
      },
    },
    'nothing is the row of names': {
      input: { from: '2026-05-01', to: '2026-05-31' },
      async afterwards(_, { body }) {
        assert.equal(body, `${names}\r\n`)
      },
    },
    'in another currency': {
      input: { ...period, currencies: ['USD'] },
      async afterwards(_, { body }) {
        assert.equal(body, `${names}\r\n`)
      },
    },
    'more than 366 days': {
      input: { from: '2026-01-01', to: '2027-01-02' },
      answers: '422 date_out_of_range',
      errors: ['/to'],
    },
    'an end before the beginning': {
      input: { from: '2026-06-30', to: '2026-06-01' },
      answers: '422 date_out_of_range',
    },
    'of a legal entity that does not exist': {
      input: { ...period, legal_entity_id: '019bb16e-fe80-7b02-b1c4-90aa3e5d7f62' },
      answers: '422 reference_not_found',
      errors: ['/legal_entity_id'],
    },
  },
  { given },
)
