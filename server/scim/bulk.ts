import { bulk_limits } from './discovery.ts'
import { refuse, ScimError } from './errors.ts'
import { asResource, type Resource } from './match.ts'

export const bulk_urn = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest'
const response_urn = 'urn:ietf:params:scim:api:messages:2.0:BulkResponse'

/** One operation of a bulk request, as a request of its own. */
export interface BulkOperation {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly bulk_id?: string
  readonly version?: string
  readonly data?: Resource
}

/** The outcome of one: its body is an error or, of what was made, names the id. */
export interface Outcome {
  readonly status: number
  readonly location?: string
  readonly version?: string
  readonly body?: Resource
}

const methods = ['POST', 'PUT', 'PATCH', 'DELETE'] as const

/**
 * Makes the operations of a bulk request one after the other, each in a transaction of its own; one that names another by
 * its `bulkId` comes after it (RFC 7644 §3.7). After `failOnErrors` failures the rest stays undone and unreported.
 */
export async function runBulk(request: Resource, run: (operation: BulkOperation) => Promise<Outcome>): Promise<object> {
  const { schemas, failOnErrors, Operations } = request
  if (schemas !== undefined && !(Array.isArray(schemas) && schemas.includes(bulk_urn))) {
    throw refuse('invalidSyntax', `schemas does not name ${bulk_urn}.`)
  }
  if (!Array.isArray(Operations)) throw refuse('invalidSyntax', 'Operations is a list.')
  if (Operations.length > bulk_limits.operations) {
    throw new ScimError(413, undefined, `A bulk request holds ${bulk_limits.operations} operations at most.`)
  }
  const failures_max = typeof failOnErrors === 'number' && failOnErrors > 0 ? failOnErrors : Number.POSITIVE_INFINITY
  const ids = new Map<string, string>()
  let waiting = Operations.map(readOperation)
  const told: object[] = []
  let failures = 0
  while (waiting.length > 0 && failures < failures_max) {
    const ready = waiting.find((operation) => namesOf(operation).every((name) => ids.has(name)))
    const next = ready ?? waiting[0]
    if (!next) break
    waiting = waiting.filter((operation) => operation !== next)
    const outcome = ready ? await run(resolved(next, ids)) : unresolvable(next)
    const id = asResource(outcome.body)?.id
    if (next.bulk_id && outcome.status === 201 && typeof id === 'string') ids.set(next.bulk_id, id)
    if (outcome.status >= 400) failures += 1
    told.push(reported(next, outcome))
  }
  return { schemas: [response_urn], Operations: told }
}

function readOperation(given: unknown): BulkOperation {
  const { method, path, bulkId, version, data } = asResource(given) ?? {}
  const known = methods.find((one) => one === String(method).toUpperCase())
  if (!known || typeof path !== 'string') throw refuse('invalidSyntax', 'An operation has a method and a path.')
  if (known === 'POST' && typeof bulkId !== 'string') throw refuse('invalidSyntax', 'A POST has a bulkId.')
  const body = asResource(data)
  return {
    ...{ method: known, path },
    ...(typeof bulkId === 'string' && { bulk_id: bulkId }),
    ...(typeof version === 'string' && { version }),
    ...(body && { data: body }),
  }
}

const reference_form = /bulkId:([^"/\\\s]{1,256})/g

/** The operations that this one names. */
function namesOf({ path, data }: BulkOperation): string[] {
  return [...`${path} ${JSON.stringify(data ?? null)}`.matchAll(reference_form)].map(([, name]) => name ?? '')
}

function resolved(operation: BulkOperation, ids: ReadonlyMap<string, string>): BulkOperation {
  const fill = (text: string) => text.replaceAll(reference_form, (whole, name: string) => ids.get(name) ?? whole)
  const { path, data } = operation
  return { ...operation, path: fill(path), ...(data && { data: JSON.parse(fill(JSON.stringify(data))) }) }
}

function unresolvable(operation: BulkOperation): Outcome {
  const detail = `bulkId: ${namesOf(operation).join(', ')} names no operation that could be made before this one.`
  return { status: 409, body: { detail } }
}

function reported({ method, bulk_id }: BulkOperation, { status, location, version, body }: Outcome): object {
  return {
    method,
    ...(bulk_id && { bulkId: bulk_id }),
    ...(location && { location }),
    ...(version && { version }),
    status: String(status),
    ...(status >= 400 && body && { response: body }),
  }
}
