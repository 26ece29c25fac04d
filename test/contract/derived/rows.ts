import assert from 'node:assert/strict'
import type { Operation } from '#core/operation.ts'
import { pathFields } from '#core/operation.ts'
import { createContract, insertNamed, workerLogin } from '#test/factories.ts'
import type { TestOrganization, TestService } from '#test/service.ts'
import { everyOperation } from './every-operation.ts'
import { sampleInput } from './sample-input.ts'
import { workerOf } from './tokens.ts'

type MakeRow = (service: TestService, organization: TestOrganization, parents: string[]) => Promise<string>

/**
 * Makers of the row that an id in a path names, by the path up to that id, where no operation `POST <collection>`
 * of the registry makes it. A path whose row neither comes from there nor stands here fails, asking for a line.
 */
const makers: Record<string, MakeRow> = {
  '/people/:person_id': async (service, organization) => (await createContract(service, {}, organization)).worker_id,
  '/contracts/:contract_id/amendments/:amendment_id': draftAmendment,
  '/sandbox/contracts/:contract_id': async (service, organization) =>
    (await createContract(service, {}, organization)).id,
  '/sandbox/contracts/:contract_id/amendments/:amendment_id': signedAmendment,
  '/worker/contracts/:contract_id': async (service, organization) => {
    const { person_id } = await workerOf(service, organization)
    return (await createContract(service, { worker_id: person_id }, organization)).id
  },
  '/worker/contracts/:contract_id/amendments/:amendment_id': signedAmendment,
  '/oauth-grants/:grant_id': async (service, organization) => {
    const { worker_id } = await createContract(service, {}, organization)
    await workerLogin(service, worker_id, organization.id)
    return latest(service, organization, '/oauth-grants')
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

/** Rows that only fields of a body refer to, because no operation makes or names them yet. */
const referred: Record<string, (service: TestService, organization: TestOrganization) => Promise<string>> = {
  team_id: (service, { id }) => insertNamed(service, 'teams', `Team ${crypto.randomUUID()}`, id),
  legal_entity_id: (service, { id }) => insertNamed(service, 'legal_entities', `Entity ${crypto.randomUUID()}`, id),
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
    if (segment.startsWith(':')) ids.push(await makeRow(service, organization, prefix, ids))
  }
  return fill(path, ids)
}

/** The path of an operation with ids that name nothing. */
export function emptyPath({ path }: Pick<Operation, 'path'>): string {
  return fill(path, [])
}

/** The row that a field of a body refers to: `worker_id` a person, `team_id` a team. */
export function referredRow(service: TestService, organization: TestOrganization, field: string): Promise<string> {
  const made = referred[field]
  if (made) return made(service, organization)
  const noun = field === 'worker_id' || field === 'manager_id' ? 'person_id' : field
  const paths = everyOperation.map(({ path }) => path)
  const prefix = paths
    .flatMap((path) => prefixesOf(path))
    .find((path) => path.split('/').length === 3 && path.endsWith(`/:${noun}`))
  if (!prefix) throw new Error(`no path names the row of ${field}: add a line to referred of rows.ts`)
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
  const answer = await service.call('POST', path, { token: organization.token, body })
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
