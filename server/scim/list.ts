import type { Cursors } from '#core/list.ts'
import { type Context, defineOperation } from '#core/operation.ts'
import { Closed, Type } from '#core/schema/schema.ts'
import type { ResourceType } from './attribute.ts'
import { type Asked, projectionOf } from './projection.ts'
import { refuse } from './refusals.ts'
import { listResources, type Position, type Reading } from './resources.store.ts'

declare module '#core/operation.ts' {
  interface Rooms {
    scim: {
      /** Address below which SCIM answers, e.g. `https://stint.example/scim/v2`. */
      base: string
      /** Seals the places at which pages go on. */
      cursors: Cursors
    }
  }
}

export const page_limits = { default: 100, most: 200, cursor_s: 3_600 } as const

const names = Type.Optional(Type.Array(Type.String()))
const text = Type.Optional(Type.String())
const integer = Type.Optional(Type.Integer())
/** The parts of the answer that a client asks for. */
export const Shown = { attributes: names, excludedAttributes: names }
const pages = { startIndex: integer, count: integer, cursor: text }
const ListInput = Closed({ ...Shown, ...pages, filter: text, sortBy: text, sortOrder: text })

/** A query for resources (RFC 7644 §3.4.2), from an address or a body of `.search`. */
interface Query extends Asked {
  readonly filter?: string
  readonly sortBy?: string
  readonly sortOrder?: string
  readonly startIndex?: number
  readonly count?: number
  /** Empty to begin with; present: pages by cursor (RFC 9865). */
  readonly cursor?: string
}

/** Lists the resources of some types, in their order. */
export function listOperation(id: string, types: readonly ResourceType[], path: `/${string}`) {
  return defineOperation({
    ...{ id: `scim.${id}.list`, summary: `List ${id}`, method: 'GET', path },
    ...{ scopes: ['scim:read'], subject: 'people', input: ListInput, output: Type.Any() },
    handle: (query, context) => listAnswer(context, types, query),
  })
}

type Reader = Pick<Context, 'tx' | 'caller' | 'rooms'>

export function readingOf({ tx, caller, rooms: { scim } }: Reader): Reading {
  const view = { base: scim.base, sees_home: caller.sensitive_data.has('home_address') }
  return { tx, organization_id: caller.organization_id, view }
}

async function listAnswer(context: Reader, types: readonly ResourceType[], query: Query): Promise<object> {
  const {
    startIndex = 1,
    count = page_limits.default,
    cursor,
    filter,
    sortBy,
    sortOrder = 'ascending',
    ...asked
  } = query
  const order = sortOrder.toLowerCase()
  if (order !== 'ascending' && order !== 'descending')
    throw refuse('invalidValue', 'sortOrder is ascending or descending.')
  if (cursor !== undefined && count > page_limits.most)
    throw refuse('invalidCount', `count is ${page_limits.most} at most.`)
  const most = Math.min(Math.max(count, 0), page_limits.most)
  const start = Math.max(startIndex, 1)
  const pages = pagesOf(context, types, { filter, sortBy, order })
  const projected = (type: ResourceType) => projectionOf(type, asked)
  const slice = {
    ...{ filter, sort_by: sortBy, is_descending: order === 'descending' },
    // One more than the page tells whether another follows.
    limit: most === 0 ? 0 : most + 1,
    skipped: cursor === undefined ? start - 1 : 0,
    beyond: cursor ? pages.read(cursor) : undefined,
  }
  const { total, found } = await listResources(readingOf(context), types, slice, (type) => projected(type).shows)
  const page = found.slice(0, most)
  const last = page.at(-1)
  return listResponse(
    page.map(({ type, resource }) => projected(type).of(resource)),
    {
      ...{ totalResults: total, itemsPerPage: page.length },
      ...(cursor === undefined
        ? { startIndex: start }
        : found.length > most && last && { nextCursor: pages.write(last.position) }),
    },
  )
}

export function listResponse(resources: readonly object[], more: object) {
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:ListResponse']
  return { schemas, totalResults: resources.length, ...more, Resources: resources }
}

/** Cursors of a query, each with the time of its making, since none is read for longer than an hour (RFC 9865). */
function pagesOf({ tx, caller, rooms: { scim } }: Reader, types: readonly ResourceType[], filters: object) {
  const operation = `scim ${types.map(({ name }) => name)}`
  const binding = { operation, organization_id: caller.organization_id, filters }
  return {
    write: ({ at, key, created_at, id }: Position) => scim.cursors.write([tx.now, at, key, created_at, id], binding),
    read(cursor: string): Position {
      const [made_at = '', at, key = '', created_at = '', id = ''] = scim.cursors.read(cursor, binding)
      if (Date.parse(tx.now) - Date.parse(made_at) > page_limits.cursor_s * 1_000)
        throw refuse('expiredCursor', 'The cursor is older than an hour; begin again.')
      return { at: Number(at), key, created_at, id }
    },
  }
}
