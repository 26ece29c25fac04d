import type { ToolAnnotations } from '@modelcontextprotocol/server'
import type { Method, Operation, ToolDefinition } from '#core/operation.ts'
import type { RegisteredOperation, Registry } from '#core/registry.ts'
import { inputSchemaOf, isPage, outputSchemaOf, resourceOf } from './tool-schema.ts'

/** An operation as a tool. */
export interface Tool {
  name: string
  operation: RegisteredOperation
  /** The resource it belongs to: the first part of the operation's id. */
  toolset: string
  is_readonly: boolean
  /** Takes `limit` and `cursor`. */
  is_list: boolean
  /** Fields that rows of the answer are shown without. */
  omits: readonly string[]
  /** Says of an id among the arguments which tool yields it. */
  sourceOf(field: string): string
  /** What `tools/list` says of it, as JSON. */
  listed: string
}

const description_characters_max = 600
const paging_rule = 'While `has_more`, pass `cursor` for more.'

/** An operation that is a tool. */
type Offered = RegisteredOperation & { definition: { tool: ToolDefinition<unknown> } }

/** Every tool of the registry by name, in the order of the names; made once, at the start. */
export function toolsOf({ operations }: Pick<Registry, 'operations'>): ReadonlyMap<string, Tool> {
  const offered = operations.filter(isOffered).sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
  return new Map(offered.map((operation) => [nameOf(operation), toolOf(operation, offered)]))
}

function isOffered(operation: RegisteredOperation): operation is Offered {
  return operation.definition.tool !== undefined
}

function nameOf({ definition }: Offered): string {
  return definition.tool.name
}

function toolOf(operation: Offered, offered: readonly Offered[]): Tool {
  const { definition } = operation
  const { id, method, summary, input, tool } = definition
  const is_list = 'limit' in input.properties && 'cursor' in input.properties
  const sourceOf = (field: string) => sourceIn(offered, operation, field)
  const listed = {
    name: tool.name,
    title: summary,
    description: descriptionOf(tool, is_list),
    inputSchema: inputSchemaOf(definition, sourceOf),
    outputSchema: outputSchemaOf(operation, shownBy(operation, offered)),
    annotations: annotationsOf(method, tool),
  }
  return {
    name: tool.name,
    operation,
    toolset: id.split('.')[0] ?? '',
    is_readonly: method === 'GET',
    is_list,
    omits: tool.omits ?? [],
    sourceOf,
    listed: JSON.stringify(listed),
  }
}

function descriptionOf({ name, text, example }: ToolDefinition<unknown>, is_list: boolean): string {
  const parts = [text, ...(is_list ? [paging_rule] : []), ...(example ? [`Example: ${JSON.stringify(example)}`] : [])]
  const description = parts.join(' ')
  if (!/^[a-z]+(_[a-z]+)+$/.test(name) || name.length > 64) throw new Error(`${name} is no name for a tool`)
  if (description.length > description_characters_max) throw new Error(`the text of ${name} is too long`)
  if (name.startsWith('create_') && !example) throw new Error(`${name} creates something and has no example`)
  return description
}

/** The tool that yields the ids of a field, among those that the same callers can use. */
function sourceIn(offered: readonly Offered[], { definition }: Offered, field: string): string {
  const sources = offered.flatMap(({ definition: { scopes, tool } }) => {
    const place = tool.yields?.[field]
    return place && isForWorkers({ scopes }) === isForWorkers(definition) ? [`${place} of ${tool.name}`] : []
  })
  if (sources.length === 0) throw new Error(`no tool yields ${field}, which ${definition.tool.name} takes`)
  return sources.join(' or ')
}

function isForWorkers({ scopes }: Pick<Operation, 'scopes'>): boolean {
  return scopes.some((scope) => scope.startsWith('worker:'))
}

/**
 * The tool whose schema has the resource of another one whole: that which gets a single one, else the first by name.
 * Null for that tool itself.
 */
function shownBy(operation: Offered, offered: readonly Offered[]): string | null {
  const { title } = resourceOf(operation.definition)
  const same = offered.filter(({ definition }) => resourceOf(definition).title === title)
  const shown = title === undefined ? operation : (same.find(getsOne) ?? same[0])
  return shown === undefined || shown === operation ? null : nameOf(shown)
}

function getsOne({ definition }: Offered): boolean {
  return definition.method === 'GET' && !isPage(definition.output)
}

const harmless_verbs = new Set(['create', 'submit', 'request'])

/** What a client may assume before it asks its user: all four, because the protocol's defaults are the worst case. */
export function annotationsOf(method: Method, { name, outside }: ToolDefinition<unknown>): ToolAnnotations {
  const is_readonly = method === 'GET'
  const isNew = method === 'POST' && harmless_verbs.has(name.split('_')[0] ?? '')
  return {
    readOnlyHint: is_readonly,
    destructiveHint: !is_readonly && !isNew,
    idempotentHint: method !== 'POST',
    openWorldHint: outside ?? false,
  }
}
