import type { FastifyRequest } from 'fastify'
import { Refusal, rpcCodes } from './refusal.ts'
import type { Tool } from './tool.ts'

/** Which tools a request lists and calls; a filter can only take away. */
export interface ToolFilter {
  /** Null: all. */
  toolsets: ReadonlySet<string> | null
  is_readonly: boolean
  /** Set by a header, which no cache of the list would see. */
  is_private: boolean
}

export const everyTool: ToolFilter = { toolsets: null, is_readonly: false, is_private: false }

export function passes({ toolsets, is_readonly }: ToolFilter, tool: Pick<Tool, 'toolset' | 'is_readonly'>): boolean {
  return (toolsets === null || toolsets.has(tool.toolset)) && (!is_readonly || tool.is_readonly)
}

/** Reads `?toolsets=…&readonly=1` and the headers of the same meaning; both together take away what either does. */
export function filterOf({ query, headers }: FastifyRequest, known: ReadonlySet<string>): ToolFilter {
  const { toolsets, readonly } = query as Record<string, unknown>
  const inHeaders = { toolsets: headers['x-mcp-toolsets'], readonly: headers['x-mcp-readonly'] }
  const named = [toolsetsOf(toolsets, known), toolsetsOf(inHeaders.toolsets, known)].filter((names) => names !== null)
  const [first = null, second] = named
  return {
    toolsets: first && second ? first.intersection(second) : first,
    is_readonly: [readonly, inHeaders.readonly].map(isOn).includes(true),
    is_private: inHeaders.toolsets !== undefined || inHeaders.readonly !== undefined,
  }
}

function toolsetsOf(value: unknown, known: ReadonlySet<string>): ReadonlySet<string> | null {
  if (value === undefined) return null
  const names = String(value)
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  if (names.some((name) => !known.has(name))) {
    throw invalid(`toolsets are ${[...known].join(', ')}.`, { toolsets: [...known] })
  }
  return new Set(names)
}

function isOn(value: unknown): boolean {
  if (value === undefined || value === '0' || value === 'false') return false
  if (value === '1' || value === 'true') return true
  throw invalid('readonly is 1 or 0.')
}

function invalid(message: string, data?: unknown): Refusal {
  return new Refusal({ status: 400, code: rpcCodes.invalid_params, message, data })
}
