import { refuseOutdated } from '#core/invoke.ts'
import { type Context, defineOperation, type EventType, type Operation } from '#core/operation.ts'
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
export interface Answered {
  readonly status: number
  readonly body: unknown
}

/** A write of a resource that exists: what it was to the client, what it is to be, and the changes that make it so. */
export interface Write {
  readonly current: Resource
  readonly next: Resource
  readonly changes: readonly Change[]
}

/** The rules by which one type of resource differs from the other; everything else is the same. */
export interface Rules<Row> {
  readonly type: ResourceType
  /** In the plural: the operations are `scim.<id>.list`, … */
  readonly id: 'users' | 'groups'
  emits(): readonly EventType[]
  readonly problems: readonly ProblemType[]
  lock(tx: Transaction, match: { organization_id: string; id: string }): Promise<Row>
  /** Makes a new one, or takes over the row that it is; answers its id. */
  create(context: Context, changes: readonly Change[]): Promise<string>
  /** The part of it that a PUT leaves alone where it names none of that. */
  keeps(current: Resource, before: Row): Resource
  change(context: Context, before: Row, write: Write): Promise<unknown>
  remove(context: Context, before: Row): Promise<unknown>
  /** A PATCH answers it only where `attributes` asks for it. */
  readonly is_quiet?: true
}

/** Bodies go as they came: what is in them is judged by the schemas of SCIM, not by those of operations. */
const input = Closed(Query)
const One = Closed({ ...Query, id: Id })

/** List, create, get, replace, patch and delete, of any type of resource. */
export function operationsOf<Row>(rules: Rules<Row>): Operation[] {
  const { type, id, problems } = rules
  const one = `a ${type.name.toLowerCase()}`
  const path = `${type.endpoint}/:id` as const
  const reading = { scopes: ['scim:read'], subject: type.table, output: Type.Any() } as const
  const writing = { ...reading, scopes: ['scim:write'], problems, emits: rules.emits() } as const

  return [
    listOperation(id, [type], type.endpoint),
    defineOperation({
      ...writing,
      ...{ id: `scim.${id}.create`, summary: `Create ${one}`, method: 'POST', path: type.endpoint, status: 201 },
      input,
      handle: async ({ body, ...asked }, context) =>
        shown(context, type, await rules.create(context, readWhole(type, parseBody(body))), asked),
    }),
    defineOperation({
      ...{ ...reading, id: `scim.${id}.get`, summary: `Get ${one}`, method: 'GET', path, input: One },
      handle: ({ id: own, ...asked }, context) => shown(context, type, own, asked),
    }),
    ...(['PUT', 'PATCH'] as const).map((method) =>
      defineOperation({
        ...{ ...writing, id: `scim.${id}.${verbs[method]}`, summary: `Change ${one}`, method, path, input: One },
        async handle({ body, ...input }, context) {
          const { before, current } = await locked(rules, context, input)
          const [sent, is_whole] = [parseBody(body), method === 'PUT']
          const changes = is_whole ? readWhole(type, sent) : readChanges(type, sent, input.id)
          const next = applyChanges(is_whole ? rules.keeps(current, before) : current, changes)
          requireWhole(type, next)
          await rules.change(context, before, { current, next, changes })
          const is_silent = rules.is_quiet && !is_whole && !input.attributes
          return is_silent ? null : shown(context, type, input.id, input)
        },
      }),
    ),
    defineOperation({
      ...writing,
      ...{ id: `scim.${id}.delete`, summary: `Remove ${one}`, method: 'DELETE', path, status: 204, input: One },
      async handle(input, context) {
        const { before } = await locked(rules, context, input)
        context.audit({ changed_fields: [] })
        await rules.remove(context, before)
        return null
      },
    }),
    // The cast holds because the registry asks each operation only for what its own input and events are.
  ] as unknown as Operation[]
}

async function shown(context: Context, type: ResourceType, id: string, asked: Asked): Promise<Resource> {
  const projection = projectionOf(type, asked)
  return projection.of(await found(context, type, { id, shows: projection.shows }))
}

async function found(context: Context, type: ResourceType, of: Parameters<typeof findResource>[2]): Promise<Resource> {
  const resource = await findResource(context, type, of)
  if (!resource) throw refuse('not_found', `There is no ${type.name.toLowerCase()} ${of.id}.`)
  return resource
}

/** The parts that a client writes, of a row that need not be a resource (yet). */
export const writableOf = (context: Context, type: ResourceType, id: string): Promise<Resource> =>
  found(context, type, { id, shows: isLoaded, is_hidden: true })

const isLoaded = (place: Place) => isWritable(place) && !isApart(place)

/** Locks a resource to change it, and reads what it is: the version that the client has read, if it names one. */
async function locked<Row>(
  { type, lock }: Rules<Row>,
  context: Context,
  { id, if_match }: { id: string; if_match?: string },
): Promise<{ before: Row; current: Resource }> {
  const before = await lock(context.tx, { organization_id: context.caller.organization_id, id })
  const shows = (place: Place) => isLoaded(place) || place.own.name === 'meta'
  const { meta, ...current } = await found(context, type, { id, shows })
  // Without the header the last write wins (design 7).
  if (if_match !== undefined) refuseOutdated({ if_match: opaque(if_match) }, opaque(String(asResource(meta)?.version)))
  return { before, current }
}

/** Versions are weak tags, which are compared by their opaque part. */
export const opaque = (tags: string): string => tags.replaceAll('W/"', '"')
