import { isMutation, isQuery, isRepeatable, type Operation, pathFields } from '#core/operation.ts'
import type { RegisteredOperation } from '#core/registry.ts'
import { type Components, type Json, mapChildren } from './components.ts'
import { requestExample } from './examples.ts'
import { successResponse } from './responses.ts'

const refTo = (section: string, name: string) => ({ $ref: `#/components/${section}/${name}` })

/** One operation as its OpenAPI Operation Object; `problems` are its refusals by status. */
export function operationObject(
  { definition, sensitive, target, shown }: RegisteredOperation,
  { place }: Components,
  problems: Json,
): Json {
  const { id, summary, description, scopes, scopes_for_others, roles, tool } = definition
  const body = bodyOf(definition, place)
  return {
    operationId: id,
    summary,
    ...(description && { description }),
    tags: [tagOf(definition)],
    security: securityOf(definition),
    'x-required-scopes': scopes,
    ...(scopes_for_others && { 'x-required-scopes-for-others': scopes_for_others }),
    ...(roles && { 'x-roles': roles }),
    ...(tool && { 'x-tool': tool.name }),
    ...(sensitive.categories.length > 0 && { 'x-sensitive-categories': sensitive.categories }),
    parameters: parametersOf(definition, target !== null, place),
    ...(body && { requestBody: body }),
    responses: {
      ...successResponse(
        definition,
        { holdsSensitive: sensitive.categories.length > 0, isVersioned: shown !== null },
        place,
      ),
      ...problems,
    },
  }
}

/**
 * Requirements are alternatives: any bearer token that holds one of the scopes, or an access token asked for with one.
 * Access to one's own takes no scope, but an app that asks for the scope also reaches the rest.
 */
function securityOf({ scopes, scopes_for_others = [] }: Operation): Json[] {
  const asked = [...scopes, ...scopes_for_others]
  return [{ bearer: [] }, ...(asked.length > 0 ? asked.map((scope) => ({ oauth2: [scope] })) : [{ oauth2: [] }])]
}

/** The first word of the path: the noun that the operation is about. */
export function tagOf({ path }: Pick<Operation, 'path'>): string {
  return path.split('/')[1] ?? ''
}

/** `/contracts/:contract_id` → `/contracts/{contract_id}`. */
export function templateOf(path: string): string {
  return path.replaceAll(/:([a-z_]+)/g, '{$1}')
}

function parametersOf(
  { method, path, input, stream }: Operation,
  hasVersion: boolean,
  place: Components['place'],
): Json[] {
  const inPath = pathFields(path)
  const inQuery = isQuery({ method }) ? Object.keys(input.properties).filter((name) => !inPath.includes(name)) : []
  const required = (acceptedInput(input as unknown as Json).required ?? []) as string[]
  const parameter = (name: string, where: 'path' | 'query') => {
    const { description, ...schema } = input.properties[name] as unknown as Json
    return {
      name,
      in: where,
      required: where === 'path' || required.includes(name),
      ...(description !== undefined && { description }),
      schema: place(schema),
    }
  }
  return [
    ...inPath.map((name) => parameter(name, 'path')),
    ...inQuery.map((name) => parameter(name, 'query')),
    ...(isRepeatable({ method }) ? [refTo('parameters', 'IdempotencyKey')] : []),
    ...(hasVersion ? [refTo('parameters', isMutation({ method }) ? 'IfMatch' : 'IfNoneMatch')] : []),
    ...(stream ? [refTo('parameters', 'LastEventId')] : []),
    refTo('parameters', 'RequestId'),
  ]
}

function bodyOf(operation: Operation, place: Components['place']): Json | undefined {
  const { method } = operation
  if (isQuery({ method })) return undefined
  const accepted = bodySchema(operation)
  const required = (accepted.required as string[] | undefined) ?? []
  if (Object.keys(accepted.properties as Json).length === 0) return undefined
  return {
    required: required.length > 0 || method === 'PATCH',
    content: { 'application/json': { schema: place(accepted), example: requestExample(operation) } },
  }
}

/** The part of the input that travels in the body, as a caller may send it. */
export function bodySchema({ path, input }: Pick<Operation, 'path' | 'input'>): Json {
  const inPath = pathFields(path)
  const accepted = acceptedInput(input as unknown as Json)
  const kept = (names: string[]) => names.filter((name) => !inPath.includes(name))
  const properties = accepted.properties as Record<string, Json>
  const required = kept((accepted.required ?? []) as string[])
  return {
    ...accepted,
    properties: Object.fromEntries(kept(Object.keys(properties)).map((name) => [name, properties[name]])),
    required,
  }
}

/** The input as a caller may send it: a field with a default may be left out. */
export function acceptedInput(schema: Json): Json {
  const accepted = mapChildren(schema, acceptedInput)
  const properties = (schema.properties ?? {}) as Record<string, Json>
  const required = (schema.required as string[] | undefined)?.filter((name) => !('default' in (properties[name] ?? {})))
  return schema.properties ? { ...accepted, required: required ?? [] } : accepted
}
