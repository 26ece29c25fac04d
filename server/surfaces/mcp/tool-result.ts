import { declaredProblems, type FieldError } from '#core/problems/problem.ts'
import type { Tool } from './tool.ts'
import { compactJson } from './tool-text.ts'

/** The members of a problem document (RFC 9457) that a model is told. */
export interface ProblemDocument {
  status: number
  code: string
  title: string
  detail: string
  errors?: FieldError[]
}

/** The members of a `CallToolResult` as JSON. */
export interface ToolResult {
  is_error: boolean
  members: string
}

/** An answer as JSON, with notes for the model about what it does not show. */
export function shownResult(json: string, ...notes: string[]): ToolResult {
  return { is_error: false, members: `${contentOf([compactJson(json), ...notes])},"structuredContent":${json}` }
}

/** A refusal of the operation: what is wrong, with which argument, and what to do about it. */
export function refusedResult(tool: Tool, { status, code, title, detail, errors }: ProblemDocument): ToolResult {
  const advice = declaredProblems().find((problem) => problem.code === code)?.advice
  const lines = [
    `${code}: ${detail === advice ? title : detail}`,
    ...linesOf(errors ?? (status === 404 ? missing(tool) : [])),
    `Next: ${nextSteps[code] ?? advice ?? 'Tell the user.'}`,
  ]
  return { is_error: true, members: `${contentOf([lines.join('\n')])},"isError":true` }
}

/** One line for each argument, whatever is wrong with it. */
function linesOf(errors: readonly FieldError[]): string[] {
  const places = Map.groupBy(errors, ({ pointer }) => pointer || 'arguments')
  return [...places].map(([place, each]) => `${place}: ${each.map(({ message }) => message).join('; ')}`)
}

/** A row that is not there was named by the ids of the call; which of several was wrong is for the caller to see. */
function missing({ operation, sourceOf }: Tool): FieldError[] {
  const ids = [...operation.path_fields]
  const fault = ids.length > 1 ? 'this id or another one names nothing here' : 'names nothing here'
  return ids.map((name) => ({ pointer: `/${name}`, message: `${fault}; use ${sourceOf(name)}` }))
}

/** The advice of REST about a credential is not for a model to follow: it can only say what its user could do. */
const nextSteps: Readonly<Record<string, string>> = {
  insufficient_scope: 'Tell the user; repeating the call will not help.',
  sensitive_data_required: 'Tell the user, who can connect again and tick this category of sensitive data.',
}

function contentOf(texts: readonly string[]): string {
  return `"content":${JSON.stringify(texts.map((text) => ({ type: 'text', text })))}`
}
