import assert from 'node:assert/strict'
import type { Body } from '#test/factories.ts'
import { inOrganization, type TestOrganization, type TestService } from '#test/service.ts'
import type { Labels } from './sensitive-fields.ts'

/** Categories of the custom fields. */
export const labels: Labels = { locker: 'home_address', grade: 'health_and_leave' }

export const address = { line_1: 'Uferpromenade 8817', city: 'Wiesenbrunn', country: 'DE' }
const phone = '+4930123456789'

/** A person with a value in each sensitive field. */
const known = {
  ...{ first_name: 'Bruno', last_name: 'Ferreira', email: 'bruno@harbour.example', country: 'PT' },
  ...{ personal_email: 'hidden.bruno@home.example', phone, home_address: address },
  emergency_contact: { name: 'Lena Verborgen', phone: '+4930987654321' },
  ...{ date_of_birth: '1987-11-29', nationality: 'SE', vat_id: 'DE129273398' },
  government_ids: [{ type: 'passport', country: 'DE', number: 'L01X00T47' }],
  custom_fields: { locker: 'Locker B-1779' },
}
const account = { holder_name: 'Bruno Verborgen', country: 'US', currency: 'USD', account_number: '004417739954' }
const company_account = { ...account, holder_name: 'Harbour Verborgen', account_number: '009911223388' }

export type Story = Awaited<ReturnType<typeof tell>>

/** One worker in a sandbox, with a value in every sensitive field of every noun, each unlike all others. */
export async function tell(service: TestService, organization: TestOrganization, approver: string) {
  const t = inOrganization(service, organization)
  const today = (days = 0) => new Date(t.clock.now() + days * 86_400_000).toISOString().slice(0, 10)
  async function made(path: string, body: object = {}, method = 'POST', token = organization.token): Promise<Body> {
    const answer = await t.call(method, path, { body, token })
    assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  async function first(list: string): Promise<Body> {
    return (await t.call('GET', list)).body.data[0]
  }

  await made('/custom-fields', {
    key: 'locker',
    name: 'Locker',
    entity: 'person',
    type: 'text',
    category: labels.locker,
  })
  await made('/custom-fields', {
    key: 'grade',
    name: 'Grade',
    entity: 'contract',
    type: 'text',
    category: labels.grade,
  })
  const company = { name: 'Harbour Pine Inc.', country: 'US', bank_account: company_account }
  const legal_entity = await made('/legal-entities', company)
  const person = await made('/people', known)
  await made(`/people/${person.id}/bank-account`, account, 'PUT')

  const drafted = {
    ...{ type: 'pay_as_you_go', title: 'Platform engineering', start_date: today(-20), worker_id: person.id },
    compensation: { amount: '47.13', currency: 'EUR', scale: 'hourly', frequency: 'monthly' },
    ...{ tax: { vat_rate: '19' }, custom_fields: { grade: 'Grade XVII' } },
  }
  const contract = await made('/contracts', drafted)
  const path = `/contracts/${contract.id}`
  const sign = async (of: string) => {
    await made(`${of}/sign`, { signer_name: 'Nora Pine' })
    await made(`/sandbox${of}/worker-signature`)
  }
  await sign(path)
  await service.timers.runDue()
  const raise = await made(`${path}/amendments`, { terms: { amount: '53.27' } })
  await sign(`${path}/amendments/${raise.id}`)
  const amendment = await made(`${path}/amendments`, { terms: { amount: '57.89', job_title: 'Lead' } })

  const work = { contract_id: contract.id, start_date: today(-3), quantity: '7.5', description: 'Release' }
  const timesheet = await made('/timesheets', work)
  const open_timesheet = await made('/timesheets', { ...work, quantity: '6.5', auto_approve: false })
  const bonus = { contract_id: contract.id, type: 'bonus', description: 'Thanks' }
  const adjustment = await made('/invoice-adjustments', { ...bonus, amount: '512.34' })
  const open_adjustment = await made('/invoice-adjustments', { ...bonus, amount: '641.77', auto_approve: false })
  const invoiced = async (amount: string) => {
    const { id } = await made('/invoice-adjustments', { ...bonus, amount })
    return made('/invoices', { contract_id: contract.id, invoice_adjustment_ids: [id] })
  }
  const invoice = await invoiced('733.91')
  const open_invoice = await invoiced('829.47')
  const payment = await made('/payments', { invoice_ids: [invoice.id] })
  await made(`/payments/${payment.id}/settle`, { fee: '13.57' })
  const open_payment = await made('/payments', { invoice_ids: [(await invoiced('911.63')).id] })
  const settings = (payment_approval: string) =>
    made(`/organizations/${organization.id}`, { settings: { payment_approval } }, 'PATCH', approver)
  await settings('second_person')
  const waiting = await made('/payments', { invoice_ids: [(await invoiced('967.31')).id] })
  await made(`/payments/${waiting.id}/approve`, {}, 'POST', approver)
  await settings('none')

  const policy = await made('/time-off-policies', {
    ...{ name: 'Convalescence', leave_type: 'sick', annual_allowance_days: '31' },
  })
  const asked = { person_id: person.id, policy_id: policy.id, reason: 'A broken collarbone' }
  const week = (weeks: number) => ({ start_date: today(7 * weeks), end_date: today(7 * weeks + 4) })
  const time_off = await made('/time-offs', { ...asked, ...week(1) })
  const review = { status: 'approved', reason: 'Get well, collarbone' }
  await made(`/time-offs/${time_off.id}/review`, review)
  await made(`/time-offs/${time_off.id}/cancel`, { reason: 'Healed collarbone' })
  const open_time_off = await made('/time-offs', { ...asked, ...week(4) })
  const granted_time_off = await made('/time-offs', { ...asked, ...week(6) })
  await made(`/time-offs/${granted_time_off.id}/review`, review)

  const ids: Record<string, string> = {
    ...{ organization_id: organization.id, person_id: person.id, contract_id: contract.id, amendment_id: raise.id },
    ...{ timesheet_id: timesheet.id, invoice_adjustment_id: adjustment.id, invoice_id: invoice.id },
    ...{ payment_id: payment.id, legal_entity_id: legal_entity.id, time_off_id: time_off.id },
    payment_cycle_id: (await first(`${path}/payment-cycles?statuses=active`)).id,
    ledger_transaction_id: (await first('/ledger/transactions')).id,
    time_off_policy_id: policy.id,
  }
  /** Changes of these rows: what samples made from schemas alone do not show. */
  const changes: [operation: string, path: string, body: Body][] = [
    ['people.update', `/people/${person.id}`, { job_title: 'Lead' }],
    ['legal_entities.update', `/legal-entities/${legal_entity.id}`, { name: 'Harbour Pine LLC' }],
    ['contracts.update', path, { title: 'Platform' }],
    ['amendments.update', `${path}/amendments/${amendment.id}`, { reason: 'A good year' }],
    ['amendments.sign', `${path}/amendments/${amendment.id}/sign`, { signer_name: 'Nora Pine' }],
    ['timesheets.update', `/timesheets/${open_timesheet.id}`, { description: 'Clean up' }],
    ['invoice_adjustments.update', `/invoice-adjustments/${open_adjustment.id}`, { description: 'Well done' }],
    ['payments.create', '/payments', { invoice_ids: [open_invoice.id] }],
    ['payments.settle', `/payments/${open_payment.id}/settle`, {}],
    ['invoices.cancel', `/invoices/${open_invoice.id}/cancel`, { reason: 'Twice' }],
    ['time_offs.review', `/time-offs/${open_time_off.id}/review`, { status: 'approved' }],
    ['time_offs.update', `/time-offs/${open_time_off.id}`, { external_id: 'own' }],
    ['time_offs.cancel', `/time-offs/${open_time_off.id}/cancel`, { reason: 'Healed collarbone' }],
    ['time_offs.cancel', `/time-offs/${granted_time_off.id}/cancel`, {}],
  ]
  const days = { policy_id: policy.id, reason: 'A broken collarbone', ...week(8) }
  const worker_changes: typeof changes = [
    ['worker.update_profile', '/worker/me', { locale: 'de' }],
    ['worker.create_timesheet', '/worker/timesheets', { ...work, start_date: today(-5) }],
    ['worker.create_invoice_adjustment', '/worker/invoice-adjustments', { ...bonus, amount: '512.34' }],
    ['worker.request_time_off', '/worker/time-offs', days],
  ]
  return { ids, changes, worker_changes }
}
