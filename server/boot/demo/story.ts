import { utcOf } from '#core/values.ts'

export const start = '2026-01-05T08:00:00.000Z'

/** Somebody who acts beside the owner: the second person, or a worker by the key of the person. */
type Doer = 'omar' | `@${string}`

/** An operation that somebody calls at a moment of the story. */
export interface Step {
  /** A time, or a date: then at nine in the order of the kinds, a minute after the step before. */
  on: string
  kind: 'structure' | 'people' | 'contracts' | 'amendments' | 'time off' | 'adjustments' | 'rest'
  operation: string
  /** Texts that begin with `@` are keys of rows made before: their ids. */
  input?: Record<string, unknown>
  /** Key by which later steps name the row in the answer. */
  makes?: string
  /** Field by whose values later steps name the rows of a list in the answer. */
  names?: string
  /** Default: the owner. */
  by?: Doer
}

export type TimedStep = Step & { at: string }

const kinds: readonly Step['kind'][] = [
  'structure',
  'people',
  'contracts',
  'amendments',
  'time off',
  'adjustments',
  'rest',
]

/** The steps in the order of their times. */
export function inOrder(steps: readonly Step[]): TimedStep[] {
  const next = new Map<string, number>()
  const timed = kinds.flatMap((kind) =>
    steps
      .filter((step) => step.kind === kind)
      .map((step) => {
        const exact = utcOf(step.on)
        if (exact !== null) return { ...step, at: exact }
        const at_ms = next.get(step.on) ?? Date.parse(`${step.on}T09:00:00Z`)
        next.set(step.on, at_ms + 60_000)
        return { ...step, at: new Date(at_ms).toISOString() }
      }),
  )
  // A stable sort: what happens at one time keeps its order.
  return timed.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
}

type Row = Record<string, unknown>

/** Performs one operation at a moment as somebody; answers its body. */
export type Act = (step: TimedStep, input: Row, doer: string | null) => Promise<object>

/** Plays the steps, each with the ids of the rows that those before made; `known` are ids of rows that there were. */
export async function play(
  steps: readonly Step[],
  act: Act,
  known: Readonly<Record<string, string>> = {},
): Promise<void> {
  const made = new Map(Object.entries(known))
  const resolved = (value: unknown): unknown => {
    if (typeof value === 'string' && value.startsWith('@')) {
      const id = made.get(value.slice(1))
      if (id === undefined) throw new Error(`no step before has made ${value}`)
      return id
    }
    if (Array.isArray(value)) return value.map(resolved)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, resolved(each)]))
  }
  for (const step of inOrder(steps)) {
    const { by = null, makes, names, input = {} } = step
    const doer = by === null ? null : String(resolved(by))
    // The casts hold because an input is an object, so is what every operation of the story answers, and rows stand in
    // the lists among them.
    const body = (await act(step, resolved(input) as Row, doer)) as Row
    if (makes !== undefined) made.set(makes, String(body.id))
    if (names !== undefined) for (const row of body.data as Row[]) made.set(String(row[names]), String(row.id))
  }
}
