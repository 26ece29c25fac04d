import type { Operation } from '#core/operation.ts'
import { addDays } from '#core/values.ts'
import { contractBody } from '#test/factories.ts'
import type { TestService } from '#test/service.ts'
import { freeFields, plain, type Schema } from './every-operation.ts'

let made = 0
let absences = 0

/** Fields of a body where the rules ask for more than the schema says; everything else is made from the schema. */
export const samples: Record<string, (service: TestService) => Record<string, unknown>> = {
  'people.set_bank_account': bankAccount,
  'worker.set_bank_account': bankAccount,
  'contracts.create': contractBody,
  'contracts.sign': () => ({ signer_name: 'Ada Client' }),
  'amendments.create': () => ({ terms: { job_title: `Lead ${++made}` } }),
  'amendments.update': () => ({ terms: { job_title: `Head ${++made}` } }),
  'time_offs.update': () => ({ reason: `Sample ${++made}` }),
  'time_offs.review': () => ({ status: 'approved' }),
  'members.update': () => ({ role: ++made % 2 ? 'developer' : 'finance' }),
  'member_invitations.create': () => ({ email: `guest-${++made}@harbour.example`, role: 'viewer' }),
  'oauth_clients.create': () => ({
    name: `Sample ${++made}`,
    redirect_uris: ['https://app.example/callback'],
    scopes: ['contracts:read'],
  }),
  'timesheets.create': report,
  'timesheets.update': describe,
  'worker.create_timesheet': report,
  'worker.request_time_off': absence,
  'worker.update_timesheet': describe,
  'invoice_adjustments.update': describe,
  'worker.update_invoice_adjustment': describe,
  'webhooks.replay': ({ clock }) => ({ since: new Date(clock.now() - 3_600_000).toISOString() }),
  'sandbox.advance_clock': () => ({ by: 'PT1M' }),
  'sandbox.reset': () => ({ demo_data: false }),
  'webhooks.create': () => ({ url: 'https://127.0.0.1:8444/hook', events: ['contract.created'] }),
}

function bankAccount() {
  return { holder_name: `Sample ${++made}`, country: 'US', currency: 'USD', account_number: '0012345678' }
}

function report({ clock }: TestService) {
  const start_date = new Date(clock.now()).toISOString().slice(0, 10)
  return { start_date, quantity: '8', ...describe() }
}

/** Each call takes the Thursday of another week, so that a worker can be away for each; rows of `rows.ts` take Mondays. */
function absence() {
  const day = addDays('2026-03-19', 7 * (++absences % 40))
  return { start_date: day, end_date: day }
}

function describe() {
  return { description: `Sample ${++made}` }
}

/** Fields that name a row of a kind of its own, by its name in `referred` of rows.ts. */
const special_references: Record<string, string> = {
  'timesheets.create contract_id': 'contract_with_work',
  'worker.create_timesheet contract_id': 'contract_with_work',
  'invoice_adjustments.create contract_id': 'contract_with_work',
  'worker.create_invoice_adjustment contract_id': 'contract_with_work',
  'invoices.create contract_id': 'contract_with_work',
}

/** Lists of one row, by its name in `referred` of rows.ts; the id of a contract that it belongs to follows. */
const special_lists: Record<string, readonly [field: string, kind: string]> = {
  'invoices.create': ['invoice_adjustment_ids', 'expense of '],
  'payments.create': ['invoice_ids', 'invoice_id'],
}

type Fields = Record<string, unknown>

/**
 * An input of an operation without its path fields: what the schema requires, every text different from call to call.
 * `id` names the row that a field like `worker_id` refers to.
 */
export async function sampleInput(
  service: TestService,
  operation: Operation,
  id: (field: string) => Promise<string>,
): Promise<Fields> {
  return (await sampler(service, operation, id))()
}

/** Makes such inputs one after the other, all referring to the same rows. */
export async function sampler(
  service: TestService,
  operation: Operation,
  id: (field: string) => Promise<string>,
): Promise<() => Fields> {
  const own = samples[operation.id]
  const input = plain(operation.input)
  const required = new Set((input.required ?? []) as string[])
  const free = freeFields(operation).filter((name) => required.has(name))
  const fields = free.length > 0 || operation.method !== 'PATCH' ? free : freeFields(operation).slice(0, 1)
  const ids: Fields = {}
  for (const name of fields.filter((field) => field.endsWith('_id')))
    ids[name] = await id(special_references[`${operation.id} ${name}`] ?? name)
  const [list, kind] = special_lists[operation.id] ?? []
  if (list) ids[list] = [await id(`${kind}${ids.contract_id ?? ''}`)]
  if (own) return () => ({ ...ids, ...own(service) })
  const schemaOf = (name: string) => (input.properties as Record<string, Schema>)[name] ?? {}
  const others = fields.filter((name) => !(name in ids) && !('default' in schemaOf(name)))
  return () => ({ ...ids, ...Object.fromEntries(others.map((name) => [name, sampleOf(schemaOf(name))])) })
}

const ofFormat: Record<string, () => string> = {
  date: () => '2026-03-16',
  'date-time': () => '2026-03-16T09:00:00Z',
  email: () => `someone-${made}@harbour.example`,
  country: () => 'DE',
  currency: () => 'EUR',
  'time-zone': () => 'Europe/Berlin',
  locale: () => 'en',
}

/** A plain value that a schema accepts; fails for a form it cannot make up, which then needs a line in `samples`. */
export function sampleOf(schema: Schema): unknown {
  if ('default' in schema) return schema.default
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  if (Array.isArray(schema.anyOf)) return sampleOf(schema.anyOf[0] as Schema)
  if (schema.type === 'array') return [sampleOf(schema.items as Schema)]
  if (schema.type === 'object') return sampleObject(schema)
  if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? 1
  if (schema.type === 'boolean') return true
  if (schema.type === 'null') return null
  const form = typeof schema.format === 'string' ? ofFormat[schema.format] : undefined
  if (form) return form()
  return sampleText(schema)
}

function sampleObject(schema: Schema): Record<string, unknown> {
  const required = (schema.required ?? []) as string[]
  const properties = (schema.properties ?? {}) as Record<string, Schema>
  return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name] ?? {})]))
}

function sampleText({ pattern, minLength, maxLength }: Schema): string {
  made += 1
  const form = new RegExp(typeof pattern === 'string' ? pattern : '', 'u')
  const tries = [`Sample ${made}`, '10.00', '10', `sample${made}`, `S${made}`, '+4930123456', crypto.randomUUID()]
  const text = tries
    .map((word) => word.padEnd(Number(minLength ?? 0), 'x').slice(0, Number(maxLength ?? 1_000)))
    .find((word) => form.test(word))
  if (text === undefined) throw new Error(`no sample text fits ${pattern}`)
  return text
}
