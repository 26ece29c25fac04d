import type { FastifyRequest } from 'fastify'
import { validationFailed } from '#core/problems.ts'
import type { RegisteredOperation } from '#core/registry.ts'

/**
 * Collects the flat input of an operation from where its fields travel: the path, else the query (GET, DELETE), else
 * the body. `key[]=` means `key`. A field that came in the wrong place is unknown there and refused by the schema.
 */
export function placeInput(
  { definition, path_fields }: RegisteredOperation,
  request: FastifyRequest,
): Record<string, unknown> {
  const fromQuery = isQueryMethod(definition.method)
  const query = queryOf(request.query as Record<string, unknown>)
  if (!fromQuery && Object.keys(query).length > 0)
    refuse(Object.keys(query), 'is not a query parameter of this operation')
  const body = bodyOf(request.body)
  if (fromQuery && Object.keys(body).length > 0) refuse(Object.keys(body), 'is not a body field of this operation')
  const fields = fromQuery ? query : body
  const misplaced = Object.keys(fields).filter((name) => path_fields.has(name))
  if (misplaced.length > 0) refuse(misplaced, 'travels in the path')
  return Object.assign(fields, request.params)
}

export function isQueryMethod(method: string): boolean {
  return method === 'GET' || method === 'DELETE'
}

function queryOf(query: Record<string, unknown>): Record<string, unknown> {
  // Without a prototype, so that a parameter called __proto__ is a field like any other: unknown.
  const fields: Record<string, unknown> = Object.create(null)
  for (const [key, value] of Object.entries(query)) {
    const name = key.endsWith('[]') ? key.slice(0, -2) : key
    fields[name] = name in fields ? [fields[name], value].flat() : value
  }
  return fields
}

function bodyOf(body: unknown): Record<string, unknown> {
  if (body === undefined) return {}
  // Not copied: the body is this request's own, and copying one of 90,000 fields took 0.2 s.
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Record<string, unknown>
  throw validationFailed(undefined, { errors: [{ pointer: '', message: 'must be a JSON object' }] })
}

function refuse(names: readonly string[], message: string): never {
  throw validationFailed(undefined, { errors: names.slice(0, 20).map((name) => ({ pointer: `/${name}`, message })) })
}
