import { type Answer, refuseOutdated } from '#core/invoke.ts'
import type { Context, EventType, Operation } from '#core/operation.ts'
import type { ProblemType } from '#core/problems.ts'
import { Closed, Id, Type } from '#core/schema/schema.ts'
import type { Transaction } from '#db/database.ts'
import { isApart, isWritable, type Place, type ResourceType } from './attribute.ts'
import { parseBody, requireWhole } from './body.ts'
import { listOperation, Query } from './list.ts'
import { applyChanges, type Change, readChanges, readWhole } from './patch.ts'
import { type Asked, projectionOf } from './projection.ts'
import { refuse } from './refusals.ts'
import { asResource, type Resource } from './resource.ts'
import { findResource } from './resources.store.ts'

/** The last part of an operation's id, by the method that asks for it. */
export const verbs = { GET: 'get', POST: 'create', PUT: 'replace', PATCH: 'patch', DELETE: 'delete' } as const

/** The outcome of an operation: the resource, or a refusal. */
export type Answered = Pick<Answer, 'status' | 'body'>

/** A write of a resource: what it was to the client, what it is to be, and the changes that make it so. */
export type Write = { readonly current: Resource; readonly next: Resource; readonly changes: readonly Change[] }

/** The rules by which one type of resource differs from the other; everything else is the same. */
export interface Rules<Row> {
  readonly type: ResourceType
  readonly id: 'users' | 'groups'
  readonly emits: readonly EventType[]
  readonly problems: readonly ProblemType[]
  /** The values of a new one that the client does not speak of. */
  readonly initial?: Resource
  lock(tx: Transaction, match: { organization_id: string; id: string }): Promise<Row>
  /** The row that a new one is already; throws where a client has it. */
  known?(sent: Resource, context: Context): Promise<Row | null>
  /** The part of it that a PUT leaves alone where it names none of that. */
  keeps(current: Resource, before: Row): Resource
  write(context: Context, before: Row | null, write: Write): Promise<{ id: string }>
  remove(context: Context, before: Row): Promise<unknown>
  /** A PATCH answers it only where `attributes` asks for it. */
  readonly is_quiet?: true
}

type Input = Asked & { id: string; if_match?: string; body?: string }
type Handle = (input: Input, context: Context) => Promise<unknown>

/** List, create, get, replace, patch and delete, of any type of resource. */
export function operationsOf<Row extends { id: string }>(rules: Rules<Row>): Operation[] {
  const { type, id, problems, emits, initial = {}, is_quiet } = rules
  const operation = (method: keyof typeof verbs, summary: string, handle: Handle, more: object = {}) => ({
    ...{ id: `scim.${id}.${verbs[method]}`, summary: `${summary} a ${type.name.toLowerCase()}`, method, handle },
    ...{ subject: type.table, output: Type.Any(), path: method === 'POST' ? type.endpoint : `${type.endpoint}/:id` },
    // Bodies go as they came: what is in them is judged by the schemas of SCIM, not by those of operations.
    input: Closed(method === 'POST' ? Query : { ...Query, id: Id }),
    ...(method === 'GET' ? { scopes: ['scim:read'] } : { scopes: ['scim:write'], problems, emits }),
    ...more,
  })
  const create: Handle = async (input, context) => {
    const changes = [...readWhole(type, initial), ...readWhole(type, parseBody(input.body))]
    const sent = applyChanges({}, changes)
    requireWhole(type, sent)
    const known = (await rules.known?.(sent, context)) ?? null
    // The row need not be a resource (yet).
    const shows = { id: known?.id ?? '', shows: isLoaded, is_hidden: true }
    const current = known ? await found(context, type, shows) : {}
    const { id } = await rules.write(context, known, { current, next: applyChanges(current, changes), changes })
    return shown(context, type, { ...input, id })
  }
  const changeBy =
    (is_whole: boolean): Handle =>
    async (input, context) => {
      const { before, current } = await locked(rules, context, input)
      const sent = parseBody(input.body)
      const changes = is_whole ? readWhole(type, sent) : readChanges(type, sent, input.id)
      const next = applyChanges(is_whole ? rules.keeps(current, before) : current, changes)
      requireWhole(type, next)
      await rules.write(context, before, { current, next, changes })
      return is_quiet && !is_whole && !input.attributes ? null : shown(context, type, input)
    }
  const remove: Handle = async (input, context) => {
    context.audit({ changed_fields: [] })
    await rules.remove(context, (await locked(rules, context, input)).before)
    return null
  }
  // The cast holds because the registry asks each operation only for what its own input and events are.
  return [
    listOperation(id, [type], type.endpoint),
    operation('POST', 'Create', create, { status: 201 }),
    operation('GET', 'Get', (input, context) => shown(context, type, input)),
    operation('PUT', 'Replace', changeBy(true)),
    operation('PATCH', 'Change', changeBy(false)),
    operation('DELETE', 'Remove', remove, { status: 204 }),
  ] as unknown as Operation[]
}

async function shown(context: Context, type: ResourceType, input: Input): Promise<Resource> {
  const { shows, of } = projectionOf(type, input)
  return of(await found(context, type, { id: input.id, shows }))
}

async function found(context: Context, type: ResourceType, of: Parameters<typeof findResource>[2]): Promise<Resource> {
  const resource = await findResource(context, type, of)
  if (!resource) throw refuse('not_found', `There is no ${type.name.toLowerCase()} ${of.id}.`)
  return resource
}

const isLoaded = (place: Place) => isWritable(place) && !isApart(place)

/** Locks a resource to change it, and reads what it is: the version that the client has read, if it names one. */
async function locked<Row>({ type, lock }: Rules<Row>, context: Context, { id, if_match }: Input) {
  const before = await lock(context.tx, { organization_id: context.caller.organization_id, id })
  const shows = (place: Place) => isLoaded(place) || place.own.name === 'meta'
  const { meta, ...current } = await found(context, type, { id, shows })
  // Without the header the last write wins (design 7).
  if (if_match !== undefined) refuseOutdated({ if_match: opaque(if_match) }, opaque(String(asResource(meta)?.version)))
  return { before, current }
}

/** Versions are weak tags, which are compared by their opaque part. */
export const opaque = (tags: string): string => tags.replaceAll('W/"', '"')
