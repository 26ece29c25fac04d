import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '#core/values.ts'
import { raw, type Sql, sql } from '#db/database.ts'
import { serviceOfCases } from '#test/cases.ts'
import { clock_start } from '#test/contract-states.ts'
import { cycleIn, invoiceIn } from '#test/invoices.ts'
import { paymentIn } from '#test/payments.ts'
import { inOrganization } from '#test/service.ts'

test('the database refuses what breaks invoices and payments, whoever writes it (invariants 6, 8, 9, 11, 12)', async () => {
  const service = await serviceOfCases()
  await service.clock.set(clock_start)
  const t = inOrganization(service, await service.createOrganization())
  const { cycle, contract_id } = await cycleIn(t, 'invoiced')
  const { invoice_id } = await invoiceIn(t, 'pending')
  const { payment_id, invoice: paid } = await paymentIn(t, 'processing')
  const { id: organization_id } = t.organization
  /** A copy of a row, with other values in these columns. */
  const copied = (table: string, where: Sql, columns: object) => sql`
    insert into ${raw(table)}
    select (jsonb_populate_record(null::${raw(table)}, to_jsonb(t) || ${JSON.stringify(columns)}::jsonb)).*
    from ${raw(table)} t where organization_id = ${organization_id} and ${where}`
  const of_invoice = sql`id = ${invoice_id}`
  const [other, id] = [newId(0), newId(0)]
  const attempts: Record<string, [by: string, ...statements: Sql[]]> = {
    'a second invoice of a cycle': [
      'invoices_of_cycle',
      copied('invoices', sql`id = ${cycle.invoice_id}`, { id, number: 'INV-2026-000900' }),
    ],
    'a number of an invoice twice': ['invoices_number', copied('invoices', of_invoice, { id })],
    'a changed total': ['42501', sql`update invoices set total = 1 where ${of_invoice}`],
    'a removed invoice': ['42501', sql`delete from invoices where ${of_invoice}`],
    'a changed line': ['42501', sql`update invoice_lines set amount = 1 where invoice_id = ${invoice_id}`],
    'what stands on an invoice, on another line': [
      'invoice_lines_source',
      copied('invoice_lines', sql`invoice_id = ${invoice_id}`, { id, position: 9 }),
    ],
    'a line of nothing': [
      '23502',
      copied('invoice_lines', sql`invoice_id = ${invoice_id}`, { id, position: 9, source_id: null }),
    ],
    'a second active cycle': [
      'payment_cycles_active',
      copied('payment_cycles', sql`contract_id = ${contract_id} and status = 'active'`, {
        id,
        start_date: '2026-07-02',
      }),
    ],
    'a number of a payment twice': ['payments_number', copied('payments', sql`id = ${payment_id}`, { id })],
    'an invoice in two payments': [
      'payment_invoices_standing',
      copied('payments', sql`id = ${payment_id}`, { id: other, number: 'PAY-2026-000900' }),
      copied('payment_invoices', sql`invoice_id = ${paid.id}`, { payment_id: other }),
    ],
  }
  for (const [name, [by, ...statements]] of Object.entries(attempts)) {
    const attempt = t.database.database.transaction({ role: 'app', organization_id }, async (tx) => {
      for (const statement of statements) await tx.run(statement)
    })
    const { constraint, code } = await attempt.then(
      () => assert.fail(`${name} was written`),
      (error) => error,
    )
    assert.equal(constraint ?? code, by, name)
  }
})
