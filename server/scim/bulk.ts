import { requireSchema } from './body.ts'
import { refuse, toldAs } from './refusals.ts'
import { asResource, type Resource } from './resource.ts'

export const bulk_limits = { operations: 500, bytes: 1_048_576 } as const
const bulk_urn = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest'
const response_urn = 'urn:ietf:params:scim:api:messages:2.0:BulkResponse'

/** One operation of a bulk request, as a request of its own. */
export interface BulkOperation {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly bulk_id: string | undefined
  readonly version: string | undefined
  readonly data: Resource | undefined
}

interface Waiting extends BulkOperation {
  /** The `bulkId`s of other operations that it names, looked for once: the longest request names 80,000. */
  readonly names: readonly string[]
}

/** The outcome of one: its body is the resource, or the error. */
export interface Outcome {
  readonly status: number
  readonly body: Resource | undefined
}

/**
 * Makes the operations of a bulk request one after the other, each in a transaction of its own; one that names another by
 * its `bulkId` comes after it (RFC 7644 §3.7). After `failOnErrors` failures the rest stays undone and unreported.
 */
export async function runBulk(request: unknown, run: (operation: BulkOperation) => Promise<Outcome>): Promise<object> {
  const { schemas, failOnErrors, Operations } = asResource(request) ?? {}
  requireSchema(schemas, bulk_urn)
  if (!Array.isArray(Operations)) throw refuse('invalidSyntax', 'Operations is a list.')
  if (Operations.length > bulk_limits.operations)
    throw refuse('too_large', `A bulk request holds ${bulk_limits.operations} operations at most.`)
  const failures_max = typeof failOnErrors === 'number' && failOnErrors > 0 ? failOnErrors : Number.POSITIVE_INFINITY
  const ids = new Map<string, string>()
  const waiting = new Set(Operations.map(readOperation))
  const told: object[] = []
  for (let failures = 0; waiting.size > 0 && failures < failures_max; ) {
    const ready = [...waiting].find(({ names }) => names.every((name) => ids.has(name)))
    const [next = ready] = ready ? [ready] : waiting
    if (!next) break
    waiting.delete(next)
    const outcome = ready ? await run(resolved(ready, ids)) : unresolvable(next)
    const id = outcome.body?.id
    if (next.bulk_id && outcome.status === 201 && typeof id === 'string') ids.set(next.bulk_id, id)
    if (outcome.status >= 400) failures += 1
    told.push(reported(next, outcome))
  }
  return { schemas: [response_urn], Operations: told }
}

function readOperation(given: unknown): Waiting {
  const { method, path, bulkId, version, data } = asResource(given) ?? {}
  const known = (['POST', 'PUT', 'PATCH', 'DELETE'] as const).find((one) => one === String(method).toUpperCase())
  if (!known || typeof path !== 'string') throw refuse('invalidSyntax', 'An operation has a method and a path.')
  if (known === 'POST' && typeof bulkId !== 'string') throw refuse('invalidSyntax', 'A POST has a bulkId.')
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
  const names = [...`${path} ${JSON.stringify(data)}`.matchAll(reference_form)].map(([, name]) => name ?? '')
  return { method: known, path, bulk_id: text(bulkId), version: text(version), data: asResource(data), names }
}

const reference_form = /bulkId:([^"/\\\s]{1,256})/g

function resolved(operation: BulkOperation, ids: ReadonlyMap<string, string>): BulkOperation {
  const fill = (text: string) => text.replaceAll(reference_form, (whole, name: string) => ids.get(name) ?? whole)
  const { path, data } = operation
  return { ...operation, path: fill(path), data: data && JSON.parse(fill(JSON.stringify(data))) }
}

function unresolvable({ names }: Waiting): Outcome {
  return toldAs('conflict', `bulkId: ${names} names no operation that could be made before this one.`)
}

function reported({ method, bulk_id: bulkId }: BulkOperation, { status, body = {} }: Outcome): object {
  const is_refused = status >= 400
  const { location, version } = (is_refused ? undefined : asResource(body.meta)) ?? {}
  return { method, bulkId, location, version, status: String(status), response: is_refused ? body : undefined }
}
