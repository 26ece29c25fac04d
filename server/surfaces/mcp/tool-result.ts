import { declaredProblems, type FieldError } from '#core/problems/problem.ts'
import { compactJson } from './tool-text.ts'

/** The members of a problem document (RFC 9457) that a model is told. */
export interface ProblemDocument {
  status: number
  code: string
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

/** A refusal of the operation: what is wrong, where, and what to do about it. */
export function refusedResult({ status, code, detail, errors = [] }: ProblemDocument): ToolResult {
  const step = nextStep(status, code)
  const lines = [
    `${code}: ${detail}`,
    ...errors.map(({ pointer, message }) => `${pointer || 'arguments'}: ${message}`),
    ...(step === detail ? [] : [`Next: ${step}`]),
  ]
  return { is_error: true, members: `${contentOf([lines.join('\n')])},"isError":true` }
}

function contentOf(texts: readonly string[]): string {
  return `"content":${JSON.stringify(texts.map((text) => ({ type: 'text', text })))}`
}

/** A role or a category is not to be had by asking again, whatever the words for REST say of scopes. */
function nextStep(status: number, code: string): string {
  if (status === 403) return 'This connection may not do that. Tell the user; repeating the call will not help.'
  return declaredProblems().find((problem) => problem.code === code)?.advice ?? 'Tell the user.'
}
