import type { FastifyRequest } from 'fastify'
import { folded, requireSchema } from './body.ts'
import { refuse } from './refusals.ts'
import type { Resource } from './resource.ts'

const parameters = [
  ...['filter', 'sortBy', 'sortOrder', 'startIndex', 'count', 'cursor'],
  ...['attributes', 'excludedAttributes'],
] as const
const search_urn = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest'

/** The parameters of an address: in any case, unknown ones ignored, known ones once, but for lists of names. */
export const queryOf = ({ query }: FastifyRequest): Resource => parametersIn(Object.entries(Object(query)))

export function searchOf(body: Resource): Resource {
  const { schemas, ...given } = folded(body)
  requireSchema(schemas, (urn) => urn === search_urn, search_urn)
  return parametersIn(Object.entries(given).filter(([, value]) => value !== null))
}

function parametersIn(given: readonly [string, unknown][]): Resource {
  const query: Resource = {}
  for (const [given_name, value] of given) {
    const name = parameters.find((one) => one.toLowerCase() === given_name.toLowerCase())
    if (name === undefined) continue
    const is_list = name === 'attributes' || name === 'excludedAttributes'
    if (!is_list && (Array.isArray(value) || name in query))
      throw refuse('invalidValue', `${given_name} stands there twice.`)
    query[name] = is_list ? [query[name] ?? [], value].flat() : value
  }
  for (const name of ['startIndex', 'count'].filter((one) => one in query)) {
    const refusal = name === 'count' && 'cursor' in query ? 'invalidCount' : 'invalidValue'
    if (!/^[+-]?\d{1,9}$/.test(String(query[name]))) throw refuse(refusal, `${name} is an integer.`)
    query[name] = Number(query[name])
  }
  return query
}
