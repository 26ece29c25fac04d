import type { FastifyRequest } from 'fastify'
import { refuse } from './errors.ts'
import { type Query, search_urn } from './list.ts'
import { asResource } from './match.ts'
import { parse } from './request.ts'

const names = {
  filter: 'filter',
  sortby: 'sort_by',
  sortorder: 'sort_order',
  startindex: 'start_index',
  count: 'count',
  cursor: 'cursor',
  attributes: 'attributes',
  excludedattributes: 'excluded_attributes',
} as const

/** The parameters of an address: in any case, unknown ones ignored, known ones once, but for lists of names. */
export function queryOf({ query }: FastifyRequest): Query {
  const found: Record<string, unknown> = {}
  for (const [given_name, value] of Object.entries(query as Record<string, string | string[]>)) {
    const folded = given_name.toLowerCase()
    const name = Object.hasOwn(names, folded) ? names[folded as keyof typeof names] : undefined
    if (!name) continue
    const is_list = name === 'attributes' || name === 'excluded_attributes'
    if (!is_list && (Array.isArray(value) || name in found))
      throw refuse('invalidValue', `${given_name} stands there twice.`)
    found[name] = is_list ? [found[name] ?? [], value].flat() : value
  }
  return numbered(found)
}

export function searchOf(text: string): Query {
  const { schemas: urns, ...body } = parse(text)
  if (urns !== undefined && !(Array.isArray(urns) && urns.includes(search_urn))) {
    throw refuse('invalidSyntax', `schemas does not name ${search_urn}.`)
  }
  const known = Object.entries(body).flatMap(([given_name, value]) => {
    const folded = given_name.toLowerCase()
    return Object.hasOwn(names, folded) && value !== null ? [[names[folded as keyof typeof names], value]] : []
  })
  return numbered(Object.fromEntries(known))
}

function numbered(found: Record<string, unknown>): Query {
  for (const name of ['start_index', 'count'] as const) {
    const value = found[name]
    if (value === undefined) continue
    if (!/^[+-]?\d{1,9}$/.test(String(value))) {
      throw refuse(
        name === 'count' && found.cursor !== undefined ? 'invalidCount' : 'invalidValue',
        `${name} is an integer.`,
      )
    }
    found[name] = Number(value)
  }
  for (const name of ['filter', 'sort_by', 'sort_order', 'cursor'] as const) {
    if (found[name] !== undefined && typeof found[name] !== 'string') throw refuse('invalidValue', `${name} is a text.`)
  }
  return found
}

/** Without the members that are absent: the input of an operation names what it has. */
export const given = (query: Query): object =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined))

export function askedOf(request: FastifyRequest): object {
  const { attributes, excluded_attributes } = queryOf(request)
  return given({ attributes, excluded_attributes })
}

export const versionOf = ({ headers }: FastifyRequest) => ({
  ...(headers['if-match'] !== undefined && { if_match: headers['if-match'] }),
})

export function isKnown({ headers }: FastifyRequest, body: unknown): boolean {
  const version = asResource(asResource(body)?.meta)?.version
  const asked = headers['if-none-match']
  return (
    asked !== undefined &&
    version !== undefined &&
    asked.split(',').some((tag) => tag.trim() === version || tag.trim() === '*')
  )
}
