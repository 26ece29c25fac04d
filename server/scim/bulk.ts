import { isSame } from './attribute.ts'
import { requireSchema } from './body.ts'
import { type Answered, verbs } from './operations.ts'
import { refuse, toldAs } from './refusals.ts'
import { asResource } from './resource.ts'

export const bulk_limits = { operations: 500, bytes: 1_048_576 } as const
const urn = 'urn:ietf:params:scim:api:messages:2.0:Bulk'

/** One operation of a bulk request, as a request of its own. */
interface Waiting extends Readonly<Record<'bulkId' | 'version' | 'data', string | undefined>> {
  readonly method: Exclude<keyof typeof verbs, 'GET'>
  readonly path: string
  /** The `bulkId`s of other operations that it names, looked for once: the longest request names 80,000. */
  readonly names: readonly string[]
}

/** The way to make one operation, which answers its refusal too. */
type Make = (operation: () => { id: string; input: object }) => Promise<Answered>

/** Makes operations one by one, those that name another by its `bulkId` after it, until too many failed (RFC 7644 §3.7). */
export async function runBulk(request: unknown, base: string, make: Make): Promise<object> {
  const { schemas, failOnErrors, Operations } = asResource(request) ?? {}
  requireSchema(schemas, `${urn}Request`)
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
    const answer = ready ? await make(() => callOf(ready, ids)) : unresolvable(next, ids)
    const { method, path, bulkId } = next
    const { id, meta } = asResource(answer.body) ?? {}
    const is_refused = answer.status >= 400
    if (is_refused) failures += 1
    else if (bulkId && typeof id === 'string') ids.set(bulkId, id)
    const { version, location = method === 'POST' ? undefined : base + fill(path, ids) } = asResource(meta) ?? {}
    const status = String(answer.body ? answer.status : 204)
    told.push({ method, bulkId, location, version, status, response: is_refused ? answer.body : undefined })
  }
  return { schemas: [`${urn}Response`], Operations: told }
}

function readOperation(given: unknown): Waiting {
  const { method: verb, path, bulkId, version, data: sent } = asResource(given) ?? {}
  const method = (['POST', 'PUT', 'PATCH', 'DELETE'] as const).find((one) => isText(verb) && isSame(one, verb))
  if (!method || !isText(path)) throw refuse('invalidSyntax', 'method is POST, PUT, PATCH or DELETE, and path a text.')
  if (method === 'POST' && !isText(bulkId)) throw refuse('invalidSyntax', 'A POST has a bulkId.')
  const data = JSON.stringify(sent)
  const names = [...`${path} ${data}`.matchAll(reference_form)].map(([, name]) => name ?? '')
  const text = (value: unknown) => (isText(value) ? value : undefined)
  return { method, path, bulkId: text(bulkId), version: text(version), data, names }
}

const isText = (value: unknown) => typeof value === 'string'
const reference_form = /bulkId:([^"/\\\s]{1,256})/g
const fill = (text: string, ids: ReadonlyMap<string, string>) =>
  text.replaceAll(reference_form, (whole, name: string) => ids.get(name) ?? whole)

function callOf({ method, path: template, data, version: if_match }: Waiting, ids: ReadonlyMap<string, string>) {
  const path = fill(template, ids)
  const [, endpoint = '', id] = /^\/(Users|Groups)(?:\/([^/]+))?$/.exec(path) ?? []
  if (!endpoint || (id === undefined) !== (method === 'POST'))
    throw refuse('invalidPath', `${method} ${path} is no operation.`)
  const input = { ...(id && { id }), body: data && fill(data, ids), if_match }
  return { id: `scim.${endpoint.toLowerCase()}.${verbs[method]}`, input }
}

function unresolvable({ names }: Waiting, ids: ReadonlyMap<string, string>): Answered {
  const missing = names.find((name) => !ids.has(name))
  return toldAs('conflict', `bulkId: ${missing} names no operation that could be made before this one.`)
}
