/** One message about one place of the input; `pointer` is a JSON Pointer (RFC 6901) into the flat input. */
export interface FieldError {
  pointer: string
  message: string
}

export interface ProblemDefinition {
  code: string
  status: number
  title: string
  /** What to do about it, for the documentation page of the code. */
  advice: string
}

export interface ProblemDetails {
  detail?: string
  errors?: FieldError[]
  /** Further members of the problem document. */
  members?: Record<string, unknown>
  headers?: Record<string, string>
  /** True when the server of somebody else is away, which is no fault of ours to log. */
  is_elsewhere?: boolean
  cause?: unknown
}

/** A refusal the caller can read: a declared code with words for this case. `cause` stays inside. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly definition: ProblemDefinition
  readonly details: ProblemDetails

  constructor(definition: ProblemDefinition, details: ProblemDetails = {}) {
    super(details.detail ?? definition.title, { cause: details.cause })
    this.definition = definition
    this.details = details
  }
}

/** Makes the problem of one declared code: `throw notFound()`, `throw invalidState('The contract is completed.')`. */
export interface ProblemType {
  (detail?: string, details?: Omit<ProblemDetails, 'detail'>): Problem
  readonly definition: ProblemDefinition
}

const declared = new Map<string, ProblemDefinition>()

/** Declares a problem once: code, status and words. A code declared twice stops the boot. */
export function defineProblem(definition: ProblemDefinition): ProblemType {
  if (declared.has(definition.code)) throw new Error(`problem ${definition.code} is declared twice`)
  declared.set(definition.code, definition)
  const make = (detail?: string, details: Omit<ProblemDetails, 'detail'> = {}) =>
    new Problem(definition, { ...details, ...(detail !== undefined && { detail }) })
  return Object.assign(make, { definition })
}

/** Every declared problem, by code: the reference is made from it. */
export function declaredProblems(): ProblemDefinition[] {
  // Not by localeCompare, whose first call loads the collation of a language: 10 to 20 ms of each start.
  return [...declared.values()].sort((a, b) => (a.code < b.code ? -1 : 1))
}
