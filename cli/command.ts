import { faultOfLine, tidy } from '#core/values.ts'

export type Flags = Record<string, string | boolean | (string | boolean)[] | undefined>

/** One command of `stint`: its flags and what it does. Answers the exit status. */
export interface Command {
  /** The arguments as help shows them, after the name. */
  usage?: string
  /**
   * One line of help per option, by the option as it is written: `email <e>` takes a text, `events <a,…>` may come again,
   * `held [true|false]` may stand alone, `demo` does.
   */
  options?: Record<string, string>
  /** Details beyond its summary, for its help. */
  about?: string
  /** Calls as people make them, without `npx stint`. */
  examples: readonly string[]
  /** True of commands that call a service over the network, as everybody may. */
  calls_service?: true
  /** Exit statuses that mean more than they do everywhere. */
  exits?: Record<number, string>
  /** The number of words it takes beside its flags; none if unsaid. */
  words_max?: number
  /** False where there is no result to print as JSON. */
  has_result?: boolean
  run(flags: Flags, words: readonly string[]): Promise<number>
}

/** Exit statuses of `stint`, as documented in its help. */
export const exitStatus = {
  ok: 0,
  failed: 1,
  usage: 2,
  refused: 3,
  unauthorized: 4,
  unreachable: 5,
  refused_start: 78,
  interrupted: 130,
} as const

export const exitMeanings: Record<number, string> = {
  [exitStatus.ok]: 'done',
  [exitStatus.failed]: 'failed, for the reason on standard error',
  [exitStatus.usage]: 'a wrong call',
  [exitStatus.refused]: 'the service refused; standard error says why',
  [exitStatus.unauthorized]: 'no service or token is named, or the token does not do (401, 403)',
  [exitStatus.unreachable]: 'the service cannot be reached, is away or asks to wait',
  [exitStatus.refused_start]: 'the settings, the database, its schema or the secrets have to be put right first',
  [exitStatus.interrupted]: 'ended at once by a second Ctrl-C',
}

/** Statuses that only commands have which call a service, and that only those have which operate one. */
export const exitsOfKind: Record<'service' | 'operator', readonly number[]> = {
  service: [exitStatus.refused, exitStatus.unauthorized, exitStatus.unreachable],
  operator: [exitStatus.refused_start],
}

/** The call is wrong; the message says how it is right. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export function textFlag(flags: Flags, name: string): string | undefined {
  const value = flags[name]
  return typeof value === 'string' ? value : undefined
}

export function requiredFlag(flags: Flags, name: string): string {
  const value = textFlag(flags, name)
  if (!value) throw new UsageError(`--${name} is missing`)
  return value
}

/** A name as people write one, with the bounds it has everywhere else. */
export function nameFlag(flags: Flags, name: string, characters_max: number): string {
  const value = tidy(requiredFlag(flags, name))
  const characters = [...value].length
  const fault =
    characters === 0 || characters > characters_max ? `must be 1 to ${characters_max} characters` : faultOfLine(value)
  if (fault) throw new UsageError(`--${name} ${fault}`)
  return value
}

/** Prints a result: JSON with --json, else its lines. */
export function print(flags: Flags, result: object, lines: readonly string[]): void {
  process.stdout.write(flags.json ? `${JSON.stringify(result)}\n` : `${lines.join('\n')}\n`)
}
