import assert from 'node:assert/strict'
import type { Operation } from '#core/operation.ts'
import { pathFields } from '#core/operation.ts'
import { createContract } from '#test/factories.ts'
import type { TestOrganization, TestService } from '#test/service.ts'
import { everyOperation } from './every-operation.ts'
import { sampleInput } from './sample-input.ts'
import { workerOf } from './tokens.ts'

type MakeRow = (service: TestService, organization: TestOrganization, parents: string[]) => Promise<string>

/**
 * How to make the row that an id in a path names, by the path up to that id, where no operation `POST <collection>`
 * of the registry makes it. A path whose row neither comes from there nor stands here fails, asking for a line.
 */
const makers: Record<string, MakeRow> = {
  '/worker/contracts/:contract_id': async (service, organization) => {
    const { person_id } = await workerOf(service, organization)
    return (await createContract(service, { worker_id: person_id }, organization)).id
  },
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
  const noun = field === 'worker_id' || field === 'manager_id' ? 'person_id' : field
  const paths = everyOperation.map(({ path }) => path)
  const prefix = paths
    .flatMap((path) => prefixesOf(path))
    .find((path) => path.split('/').length === 3 && path.endsWith(`/:${noun}`))
  if (!prefix) throw new Error(`no path names the row of ${field}: give the field in samples of sample-input.ts`)
  return makeRow(service, organization, prefix, [])
}

/** Calls the operation that makes a row of a collection and answers the body. */
export async function create(
  service: TestService,
  organization: TestOrganization,
  operation: Operation,
  path: string,
): Promise<Record<string, unknown>> {
  const body = await sampleInput(service, operation, (field) => referredRow(service, organization, field))
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
    (filled, field, index) => filled.replace(`:${field}`, ids[index] ?? crypto.randomUUID()),
    path,
  )
}
