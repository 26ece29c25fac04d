import { defineOperation } from '#core/operation.ts'
import { Closed, Type } from '#core/schema/schema.ts'
import { isSame, type Reader, type ResourceType } from './attribute.ts'
import { refuse } from './refusals.ts'
import type { Resource } from './resource.ts'
import { type Position, readResources } from './resources.store.ts'

export const page_limits = { default: 100, most: 200, cursor_s: 3_600 } as const
const parameter_characters_max = 4_096

const names = Type.Optional(Type.Array(Type.String()))
const text = Type.Optional(Type.String())
const integer = Type.Optional(Type.Integer())
/** A cursor asks for pages by cursor, an empty one for the first (RFC 9865). */
const pages = { startIndex: integer, count: integer, cursor: text }
/** The wishes of a query (RFC 7644 §3.4.2); operations on one resource take no more of it than the parts to be shown. */
const asked = { attributes: names, excludedAttributes: names, filter: text, sortBy: text, sortOrder: text, ...pages }
export const Query = { ...asked, if_match: text, body: text }

/** The parameters of an address or of a body of `.search`: in any case, unknown ones ignored. */
export function queryFrom(given: object): Resource {
  const query: Resource = {}
  for (const [name, value] of Object.entries(given)) {
    const known = Object.keys(asked).find((one) => isSame(one, name))
    if (!known || value === null) continue
    if (known in query) throw refuse('invalidValue', `${name} stands there twice.`)
    if (known !== 'filter' && String(value).length > parameter_characters_max)
      throw refuse('invalidValue', `${name} has ${parameter_characters_max} characters at most.`)
    query[known] = value
  }
  return query
}

/** Lists the resources of some types, in their order. */
export function listOperation(id: string, types: readonly ResourceType[], path: `/${string}`) {
  return defineOperation({
    ...{ id: `scim.${id}.list`, summary: `List ${id}`, method: 'GET', path, subject: 'people' },
    ...{ scopes: ['scim:read'], input: Closed(Query), output: Type.Any() },
    async handle({ startIndex = 1, count = page_limits.default, cursor, ...query }, context) {
      const { filter, sortBy, sortOrder = 'ascending' } = query
      if (!/^(a|de)scending$/i.test(sortOrder)) throw refuse('invalidValue', 'sortOrder is ascending or descending.')
      if (cursor !== undefined && count > page_limits.most)
        throw refuse('invalidCount', `count is ${page_limits.most} at most.`)
      const most = Math.min(Math.max(count, 0), page_limits.most)
      const places = cursorsOf(context, id, { filter, sortBy, sortOrder })
      const skipped = cursor === undefined ? Math.max(startIndex, 1) - 1 : 0
      const beyond = cursor ? places.read(cursor) : undefined
      const { total: totalResults, found } = await readResources(context, types, { ...query, most, skipped, beyond })
      const resources = found.slice(0, most).map(({ resource }) => resource)
      if (cursor === undefined) return listResponse(resources, { totalResults, startIndex: skipped + 1 })
      const last = found.length > most ? found[most - 1] : undefined
      return listResponse(resources, { totalResults, ...(last && { nextCursor: places.write(last) }) })
    },
  })
}

export function listResponse(resources: readonly object[], more: object) {
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:ListResponse']
  return { schemas, itemsPerPage: resources.length, ...more, Resources: resources }
}

/** Cursors of a query, each with the time of its making, since none is read for longer than an hour. */
function cursorsOf({ tx, caller, rooms: { scim } }: Reader, list: string, filters: object) {
  const binding = { operation: `scim.${list}.list`, organization_id: caller.organization_id, filters }
  return {
    write: ({ at, key, created_at, id }: Position) => scim.cursors.write([tx.now, at, key, created_at, id], binding),
    read(cursor: string): Position {
      const [made_at = '', at, key = '', created_at = '', id = ''] = scim.cursors.read(cursor, binding)
      const age_ms = Date.parse(tx.now) - Date.parse(made_at)
      if (age_ms <= page_limits.cursor_s * 1_000) return { at: Number(at), key, created_at, id }
      throw refuse('expiredCursor', 'The cursor is older than an hour; begin again.')
    },
  }
}
