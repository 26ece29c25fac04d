import type { ProblemType } from './problems.ts'

/** The refusal of a second row with the same value; its words by default: `Another team has this name.` */
interface Refusal {
  readonly problem: ProblemType
  readonly detail?: string
  /** False where inputs of several nouns lead to the column, so that no one field is at fault. */
  readonly has_pointer?: boolean
}

/** Columns of a noun whose values no two rows share. Their unique indexes are called `<table>_<column>`. */
export type Unique = Readonly<Record<string, ProblemType | Refusal>>

const refusals = new Map<string, { problem: ProblemType; detail: string; pointer?: string }>()

/**
 * Says what the violation of a unique index means to the caller. The index decides, not a look beforehand, so that two
 * callers at once cannot both pass.
 */
export function refuseDuplicate(index: string, problem: ProblemType, detail: string, pointer?: string): void {
  refusals.set(index, { problem, detail, ...(pointer && { pointer }) })
}

/** Declares the refusals of a noun's unique columns; answers a function that gives the problems of those that an input holds. */
export function refuseDuplicates({ name, table, unique = {} }: { name: string; table: string; unique?: Unique }) {
  const columns = Object.entries(unique).map(([column, of]) => {
    const { problem, detail, has_pointer = true }: Refusal = 'problem' in of ? of : { problem: of }
    const words = detail ?? `Another ${name.replaceAll('_', ' ')} has this ${column}.`
    refuseDuplicate(`${table}_${column}`, problem, words, has_pointer ? `/${column}` : undefined)
    return { column, problem }
  })
  return (input: object): ProblemType[] => columns.filter(({ column }) => column in input).map(({ problem }) => problem)
}

/** The problem declared for a violated constraint, else the error itself. */
export function problemOfConstraint(constraint: string | null, error: unknown): unknown {
  const refusal = constraint === null ? undefined : refusals.get(constraint)
  if (!refusal) return error
  const { problem, detail, pointer } = refusal
  return problem(detail, { cause: error, ...(pointer && { errors: [{ pointer, message: detail }] }) })
}
