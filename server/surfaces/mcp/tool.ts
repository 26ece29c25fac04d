import type { ToolAnnotations } from '@modelcontextprotocol/server'
import type { Method, Operation } from '#core/operation.ts'
import type { RegisteredOperation, Registry } from '#core/registry.ts'
import { inputSchemaOf, outputSchemaOf } from './tool-schema.ts'

/** An operation as a tool. */
export interface Tool {
  name: string
  operation: RegisteredOperation
  /** The resource it belongs to: the first part of the operation's id. */
  toolset: string
  is_readonly: boolean
  /** Takes `limit` and `cursor`. */
  is_list: boolean
  /** What `tools/list` says of it, as JSON. */
  listed: string
}

const description_characters_max = 600
const paging_rule = 'Answers up to `limit` rows; while `has_more`, pass `cursor` with the same filters for the next.'

/** Every tool of the registry by name, in the order of the names; made once, at the start. */
export function toolsOf(registry: Registry): ReadonlyMap<string, Tool> {
  const tools = registry.operations.flatMap((operation) => toolOf(operation) ?? [])
  return new Map(tools.sort((a, b) => (a.name < b.name ? -1 : 1)).map((tool) => [tool.name, tool]))
}

function toolOf(operation: RegisteredOperation): Tool | null {
  const { definition } = operation
  const { id, method, summary, input, tool } = definition
  if (!tool) return null
  const is_list = 'limit' in input.properties && 'cursor' in input.properties
  const listed = {
    name: tool.name,
    title: summary,
    description: descriptionOf(tool, is_list),
    inputSchema: inputSchemaOf(definition),
    outputSchema: outputSchemaOf(definition),
    annotations: annotationsOf(method, tool),
  }
  return {
    name: tool.name,
    operation,
    toolset: id.split('.')[0] ?? '',
    is_readonly: method === 'GET',
    is_list,
    listed: JSON.stringify(listed),
  }
}

function descriptionOf({ name, text }: NonNullable<Operation['tool']>, is_list: boolean): string {
  const description = is_list ? `${text} ${paging_rule}` : text
  if (!/^[a-z]+(_[a-z]+)+$/.test(name) || name.length > 64) throw new Error(`${name} is no name for a tool`)
  if (description.length > description_characters_max) throw new Error(`the text of ${name} is too long`)
  return description
}

const harmless_verbs = new Set(['create', 'submit', 'request'])

/** What a client may assume before it asks its user: all four, because the protocol's defaults are the worst case. */
export function annotationsOf(method: Method, { name, outside }: NonNullable<Operation['tool']>): ToolAnnotations {
  const is_readonly = method === 'GET'
  const isNew = method === 'POST' && harmless_verbs.has(name.split('_')[0] ?? '')
  return {
    readOnlyHint: is_readonly,
    destructiveHint: !is_readonly && !isNew,
    idempotentHint: method !== 'POST',
    openWorldHint: outside ?? false,
  }
}
