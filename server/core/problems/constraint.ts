import type { ProblemType } from './problem.ts'

const refusals = new Map<string, { problem: ProblemType; detail: string; pointer?: string }>()

/**
 * Says what the violation of a unique index means to the caller. The index decides, not a look beforehand, so that two
 * callers at once cannot both pass.
 */
export function refuseDuplicate(index: string, problem: ProblemType, detail: string, pointer?: string): void {
  refusals.set(index, { problem, detail, ...(pointer && { pointer }) })
}

/** The problem declared for a violated constraint, else the error itself. */
export function problemOfConstraint(constraint: string | null, error: unknown): unknown {
  const refusal = constraint === null ? undefined : refusals.get(constraint)
  if (!refusal) return error
  const { problem, detail, pointer } = refusal
  return problem(detail, { cause: error, ...(pointer && { errors: [{ pointer, message: detail }] }) })
}
