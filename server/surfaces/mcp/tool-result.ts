import type { CallToolResult } from '@modelcontextprotocol/server'
import { declaredProblems, type FieldError } from '#core/problem.ts'
import { compactJson } from './tool-text.ts'

/** The members of a problem document (RFC 9457) that a model is told. */
export interface ProblemDocument {
  status: number
  code: string
  detail: string
  errors?: FieldError[]
}

/** An answer, with notes for the model about what it does not show. */
export function shownResult(body: unknown, ...notes: string[]): CallToolResult {
  // Every output of a tool is an object, which the listing checks; 204 has none.
  const structuredContent = (body ?? {}) as Record<string, unknown>
  return {
    structuredContent,
    content: [compactJson(structuredContent), ...notes].map((text) => ({ type: 'text', text })),
  }
}

/** A refusal of the operation: what is wrong, where, and what to do about it. */
export function refusedResult({ status, code, detail, errors = [] }: ProblemDocument): CallToolResult {
  const step = nextStep(status, code)
  const lines = [
    `${code}: ${detail}`,
    ...errors.map(({ pointer, message }) => `${pointer || 'arguments'}: ${message}`),
    ...(step === detail ? [] : [`Next: ${step}`]),
  ]
  return { isError: true, content: [{ type: 'text', text: lines.join('\n') }] }
}

/** A role or a category is not to be had by asking again, whatever the words for REST say of scopes. */
function nextStep(status: number, code: string): string {
  if (status === 403) return 'This connection may not do that. Tell the user; repeating the call will not help.'
  return declaredProblems().find((problem) => problem.code === code)?.advice ?? 'Tell the user.'
}
