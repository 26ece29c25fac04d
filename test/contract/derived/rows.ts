import assert from 'node:assert/strict'
import type { Operation } from '#core/operation.ts'
import { pathFields } from '#core/operation.ts'
import { addDays } from '#core/values.ts'
import { activeContract, addMember, createContract, workerLogin } from '#test/factories.ts'
import { bookInvoice } from '#test/ledger.ts'
import { setApproval } from '#test/payments.ts'
import { inOrganization, type TestOrganization, type TestService } from '#test/service.ts'
import { makePolicy } from '#test/time-off.ts'
import { enter, kinds } from '#test/work-items.ts'
import { everyOperation } from './every-operation.ts'
import { sampleInput } from './sample-input.ts'
import { tokenFor, workerOf } from './tokens.ts'

/** No two absences of one worker lie in the same week. */
let weeks = 0

type MakeRow = (service: TestService, organization: TestOrganization, parents: string[]) => Promise<string>

/**
 * Makers of the row that an id in a path names, by the path up to that id, where no operation `POST <collection>`
 * of the registry makes it. A path whose row neither comes from there nor stands here fails, asking for a line.
 */
const makers: Record<string, MakeRow> = {
  '/organizations/:organization_id': async (_, { id }) => id,
  '/members/:member_id': async (service, { id }) => (await addMember(service, 'viewer', id)).member_id,
  '/contracts/:contract_id/amendments/:amendment_id': draftAmendment,
  '/sandbox/contracts/:contract_id': async (service, organization) =>
    (await createContract(service, {}, organization)).id,
  '/sandbox/contracts/:contract_id/amendments/:amendment_id': signedAmendment,
  '/worker/contracts/:contract_id': async (service, organization) => {
    const { person_id } = await workerOf(service, organization)
    return (await createContract(service, { worker_id: person_id }, organization)).id
  },
  '/worker/contracts/:contract_id/amendments/:amendment_id': signedAmendment,
  '/worker/time-offs/:time_off_id': async (service, organization) => {
    const { person_id } = await workerOf(service, organization)
    const { token } = organization
    const { id: policy_id } = await makePolicy(service, { annual_allowance_days: null }, token)
    for (;;) {
      const day = addDays('2026-08-03', 7 * ++weeks)
      const body = { person_id, policy_id, start_date: day, end_date: day }
      const answer = await service.call('POST', '/time-offs', { token, body })
      // A random request of the worker may be in the way.
      if (answer.body.code === 'time_off_overlap') continue
      assert.equal(answer.status, 201, JSON.stringify(answer.body))
      return answer.body.id
    }
  },
  '/timesheets/:timesheet_id': pendingWork('timesheets', 'client'),
  '/worker/timesheets/:timesheet_id': pendingWork('timesheets', 'worker'),
  '/invoice-adjustments/:invoice_adjustment_id': pendingWork('invoice_adjustments', 'client'),
  '/worker/invoice-adjustments/:invoice_adjustment_id': pendingWork('invoice_adjustments', 'worker'),
  '/contracts/:contract_id/payment-cycles/:payment_cycle_id': skippedCycle,
  '/worker/invoices/:invoice_id': async (service, organization) => {
    const contract_id = await referredRow(service, organization, 'contract_with_work')
    return invoiced(service, organization, contract_id)
  },
  '/oauth-grants/:grant_id': async (service, organization) => {
    const { worker_id } = await createContract(service, {}, organization)
    await workerLogin(service, worker_id, organization.id)
    return latest(service, organization, '/oauth-grants')
  },
  '/ledger/transactions/:ledger_transaction_id': async (service, organization) => {
    await bookInvoice({ ...service, organization }, (await createContract(service, {}, organization)).id)
    return latest(service, organization, '/ledger/transactions')
  },
  '/request-logs/:request_log_id': async (service, organization) => {
    await rowsOf(service, organization, '/organizations')
    await service.requests.flush()
    return latest(service, organization, '/request-logs')
  },
  '/events/:event_id': latestEvent,
  '/webhooks/:webhook_id/deliveries/:delivery_id': async (service, organization, [webhook_id]) => {
    await createContract(service, {}, organization)
    return latest(service, organization, `/webhooks/${webhook_id}/deliveries`)
  },
  '/webhooks/:webhook_id/signing-keys/:label': async (service, { token }, [webhook_id]) => {
    const { status, body } = await service.call('POST', `/webhooks/${webhook_id}/signing-keys`, { token })
    assert.equal(status, 201, JSON.stringify(body))
    return body.label
  },
  '/webhooks/:webhook_id/replays/:replay_id': async (service, organization, [webhook_id]) => {
    const since = new Date(service.clock.now() - 3_600_000).toISOString()
    return (await post(service, organization, `/webhooks/${webhook_id}/replay`, { since })).id
  },
}

/** Makers of the row of a step, by its whole path, where it needs another state than that of a new row. */
const step_makers: Record<string, MakeRow> = {
  '/payments/:payment_id/approve': waitingPayment,
  '/payments/:payment_id/cancel': waitingPayment,
}

/** Rows that only fields of a filter refer to, because no path names them. */
const referred: Record<string, (service: TestService, organization: TestOrganization) => Promise<string>> = {
  account_id: async (service, organization) => {
    await bookInvoice({ ...service, organization }, (await createContract(service, {}, organization)).id)
    return latest(service, organization, '/ledger/accounts')
  },
  contract_with_work: async (service, organization) => {
    const { person_id: worker_id } = await workerOf(service, organization)
    return (await activeContract(service, { ...kinds.timesheets.contract, worker_id }, organization)).id
  },
}

async function post(
  service: TestService,
  { token }: TestOrganization,
  path: string,
  body: unknown,
): Promise<{ id: string }> {
  const answer = await service.call('POST', path, { token, body })
  assert.ok(answer.status < 300, `${path}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

async function rowsOf(
  service: TestService,
  { token }: TestOrganization,
  list: string,
): Promise<Record<string, unknown>[]> {
  const { status, body } = await service.call('GET', list, { token })
  assert.equal(status, 200, JSON.stringify(body))
  return body.data
}

/** The newest row of a list. */
async function latest(service: TestService, organization: TestOrganization, list: string): Promise<string> {
  const [row] = await rowsOf(service, organization, list)
  assert.ok(row, `${list} is empty`)
  return String(row.id)
}

/** The newest event of the organization, told by the delivery of it. */
async function latestEvent(service: TestService, organization: TestOrganization): Promise<string> {
  const { token } = organization
  const creator = creatorOf('/webhooks')
  assert.ok(creator)
  const { id } = await create(service, organization, creator, '/webhooks')
  await createContract(service, {}, organization)
  const { body } = await service.call('GET', `/webhooks/${id}/deliveries`, { token })
  return body.data[0].event_id
}

/** A payment that waits for the approval of a second person. */
async function waitingPayment(service: TestService, organization: TestOrganization): Promise<string> {
  const own = inOrganization(service, organization)
  await setApproval(own, 'second_person')
  const path = await realPath(service, organization, { path: '/payments/:payment_id' })
  await setApproval(own, 'none')
  return path.slice(-36)
}

/** Work that waits for a review, on a contract of the organization's own worker. */
function pendingWork(kind: keyof typeof kinds, by: 'client' | 'worker'): MakeRow {
  return async (service, organization) => {
    const contract_id = await referredRow(service, organization, 'contract_with_work')
    const date = new Date(service.clock.now()).toISOString().slice(0, 10)
    const dates = kind === 'timesheets' ? { start_date: date, end_date: date, quantity: '8' } : { date }
    const token = by === 'worker' ? { token: (await workerOf(service, organization)).token } : { auto_approve: false }
    return (await enter(inOrganization(service, organization), kind, { contract_id }, { ...dates, ...token })).id
  }
}

/** An invoice of an expense that the contract pays beside its work. */
async function invoiced(service: TestService, organization: TestOrganization, contract_id: string): Promise<string> {
  const invoice_adjustment_ids = [await expense(service, organization, contract_id)]
  return (await post(service, organization, '/invoices', { contract_id, invoice_adjustment_ids })).id
}

async function expense(service: TestService, organization: TestOrganization, contract_id: string): Promise<string> {
  const date = new Date(service.clock.now()).toISOString().slice(0, 10)
  return (await enter(inOrganization(service, organization), 'invoice_adjustments', { contract_id }, { date })).id
}

/** The cycle of a contract whose invoice was taken back: it can be invoiced anew. */
async function skippedCycle(
  service: TestService,
  organization: TestOrganization,
  [contract_id]: string[],
): Promise<string> {
  const path = `/contracts/${contract_id}`
  const start_date = new Date(service.clock.now() - 40 * 86_400_000).toISOString().slice(0, 10)
  await service.call('PATCH', path, { token: organization.token, body: { start_date } })
  await post(service, organization, `${path}/sign`, { signer_name: 'Ada Client' })
  await post(service, organization, `/sandbox${path}/worker-signature`, {})
  await service.timers.runDue()
  const [cycle] = await rowsOf(service, organization, `${path}/payment-cycles`)
  assert.ok(cycle)
  await post(service, organization, `/invoices/${cycle.invoice_id}/cancel`, { reason: 'Twice.' })
  return String(cycle.id)
}

/** A draft for a contract that both have signed. */
async function draftAmendment(
  service: TestService,
  organization: TestOrganization,
  [contract_id]: string[],
): Promise<string> {
  const path = `/contracts/${contract_id}`
  await post(service, organization, `${path}/sign`, { signer_name: 'Ada Client' })
  await post(service, organization, `/sandbox${path}/worker-signature`, {})
  return (await post(service, organization, `${path}/amendments`, { terms: { job_title: 'Lead' } })).id
}

/** The same, signed by the client: the worker's turn. */
async function signedAmendment(
  service: TestService,
  organization: TestOrganization,
  parents: string[],
): Promise<string> {
  const id = await draftAmendment(service, organization, parents)
  await post(service, organization, `/contracts/${parents[0]}/amendments/${id}/sign`, { signer_name: 'Ada Client' })
  return id
}

/** The path of an operation with a real row of the organization behind each id. */
export async function realPath(
  service: TestService,
  organization: TestOrganization,
  { path }: Pick<Operation, 'path'>,
): Promise<string> {
  const ids: string[] = []
  let prefix = ''
  for (const segment of path.split('/').slice(1)) {
    prefix += `/${segment}`
    const make = step_makers[path] ?? ((...of) => makeRow(service, organization, prefix, of[2]))
    if (segment.startsWith(':')) ids.push(await make(service, organization, ids))
  }
  return fill(path, ids)
}

/** The path of an operation with ids that name nothing. */
export function emptyPath({ path }: Pick<Operation, 'path'>): string {
  return fill(path, [])
}

/** Fields that name the row of another noun. */
const nouns: Record<string, string> = {
  worker_id: 'person_id',
  manager_id: 'person_id',
  parent_id: 'department_id',
  policy_id: 'time_off_policy_id',
}

/** The row that a field of a body refers to: `worker_id` a person, `team_id` a team. */
export function referredRow(service: TestService, organization: TestOrganization, field: string): Promise<string> {
  if (field.startsWith('expense of ')) return expense(service, organization, field.slice(-36))
  const made = referred[field]
  if (made) return made(service, organization)
  const noun = nouns[field] ?? field
  const paths = everyOperation.map(({ path }) => path)
  const prefix = paths
    .flatMap((path) => prefixesOf(path))
    .find((path) => path.split('/').length === 3 && path.endsWith(`/:${noun}`))
  if (!prefix) throw new Error(`no path names the row of ${field}: add a line to nouns of rows.ts`)
  return makeRow(service, organization, prefix, [])
}

/** Calls the operation that makes a row of a collection and answers the body. */
export async function create(
  service: TestService,
  organization: TestOrganization,
  operation: Operation,
  path: string,
  own: Record<string, unknown> = {},
): Promise<Record<string, unknown>> {
  const sample = await sampleInput(service, operation, (field) => referredRow(service, organization, field))
  const body = { ...sample, ...own }
  const token = await tokenFor(service, organization, operation)
  const answer = await service.call('POST', path, { token, body })
  const hint = `its sample is refused; give one in samples of sample-input.ts: ${JSON.stringify(answer.body)}`
  assert.equal(answer.status, 201, `${operation.id}: ${hint}`)
  return answer.body
}

/** The operation that makes the rows of a collection, if there is one. */
export function creatorOf(collection: string): Operation | undefined {
  return everyOperation.find(({ method, path, status }) => method === 'POST' && path === collection && status === 201)
}

async function makeRow(
  service: TestService,
  organization: TestOrganization,
  prefix: string,
  parents: string[],
): Promise<string> {
  const special = makers[prefix]
  if (special) return special(service, organization, parents)
  const collection = prefix.slice(0, prefix.lastIndexOf('/'))
  const creator = creatorOf(collection)
  if (!creator) throw new Error(`no operation makes the row of ${prefix}: add a line to makers of rows.ts`)
  const { id } = await create(service, organization, creator, fill(collection, parents))
  return String(id)
}

function prefixesOf(path: string): string[] {
  const segments = path.split('/')
  return segments.flatMap((segment, index) => (segment.startsWith(':') ? [segments.slice(0, index + 1).join('/')] : []))
}

function fill(path: string, ids: readonly string[]): string {
  return pathFields(path).reduce<string>(
    (filled, field, index) => filled.replace(`:${field}`, ids[index] ?? unknownId(field)),
    path,
  )
}

/** Of the right form, so that it is looked up; clients alone are not named by a UUID. */
function unknownId(field: string): string {
  const id = crypto.randomUUID()
  return field === 'client_id' ? `cli_${id.replaceAll('-', '').slice(0, 22)}` : id
}
