import { readFileSync } from 'node:fs'

/** One setting: its default, what it means and how its text is read. A reader throws what is wrong with the text. */
export interface Setting<Value> {
  default: string
  meaning: string
  read: (text: string) => Value
  is_secret?: boolean
}

export function text(
  defaultText: string,
  meaning: string,
  check: (value: string) => void = () => undefined,
): Setting<string> {
  const read = (value: string) => {
    check(value)
    return value
  }
  return { default: defaultText, meaning, read }
}

export function optional(meaning: string, is_secret = false): Setting<string | null> {
  return { default: '', meaning, is_secret, read: (value) => value || null }
}

/** A bare https origin, e.g. `https://stint.example`: issued addresses are made by appending to it. */
export function origin(meaning: string): Setting<string | null> {
  const read = (value: string) => {
    if (value === '') return null
    if (!URL.canParse(value) || new URL(value).protocol !== 'https:' || new URL(value).origin !== value) {
      throw new Error('must be an https origin without path, such as https://stint.example')
    }
    return value
  }
  return { default: '', meaning, read }
}

export function integer(defaultValue: number, bounds: [min: number, max: number], meaning: string): Setting<number> {
  const [min, max] = bounds
  const read = (value: string) => {
    const number = /^\d{1,12}$/.test(value) ? Number(value) : Number.NaN
    if (!(number >= min && number <= max)) throw new Error(`must be a whole number from ${min} to ${max}`)
    return number
  }
  return { default: String(defaultValue), meaning: `${meaning} From ${min} to ${max}.`, read }
}

export function flag(defaultValue: boolean, meaning: string): Setting<boolean> {
  const read = (value: string) => {
    if (value !== 'true' && value !== 'false') throw new Error('must be true or false')
    return value === 'true'
  }
  return { default: String(defaultValue), meaning, read }
}

export function list(
  defaultText: string,
  meaning: string,
  check: (item: string) => void = () => undefined,
): Setting<string[]> {
  const read = (value: string) => {
    const items = value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
    for (const item of items) check(item)
    return items
  }
  return { default: defaultText, meaning: `${meaning} Comma-separated.`, read }
}

export function oneOf<const Word extends string>(
  words: readonly Word[],
  defaultWord: Word,
  meaning: string,
): Setting<Word> {
  const read = (value: string) => {
    const word = words.find((known) => known === value)
    if (!word) throw new Error(`must be one of ${words.join(', ')}`)
    return word
  }
  return { default: defaultWord, meaning: `${meaning} One of ${words.join(', ')}.`, read }
}

export type Settings<Table> = { [Name in keyof Table]: Table[Name] extends Setting<infer Value> ? Value : never }

/** All faults of the settings at once, each naming its setting. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(`the settings are not valid:\n${faults.map((fault) => `  ${fault}`).join('\n')}`)
    this.faults = faults
  }
}

/**
 * Reads every setting of the table: environment over file over default; `NAME_FILE` names a file whose content is the
 * value. Names that begin like ours but are not in the table are refused, so that a typing error is found at the start.
 */
export function readSettings<Table extends Record<string, Setting<unknown>>>(
  table: Table,
  environment: Record<string, string | undefined>,
  file: Record<string, string> = {},
): Settings<Table> {
  const faults = unknownNames(table, environment, file)
  const entries = Object.entries(table).map(([name, setting]) => {
    try {
      const given = environment[name] ?? fromFile(environment[`${name}_FILE`], name in table) ?? file[name]
      return [name, setting.read(given === undefined || given === '' ? setting.default : given)]
    } catch (cause) {
      faults.push(`${name} ${cause instanceof Error ? cause.message : cause}`)
      return [name, undefined]
    }
  })
  if (faults.length > 0) throw new SettingsError(faults)
  // The cast holds because each value came from the reader of its own setting.
  return Object.fromEntries(entries) as Settings<Table>
}

function unknownNames(
  table: Record<string, Setting<unknown>>,
  environment: Record<string, string | undefined>,
  file: Record<string, string>,
): string[] {
  const ours = (name: string) => /^(STINT|WEBHOOK)_/.test(name)
  const known = (name: string) => name in table || (name.endsWith('_FILE') && name.slice(0, -5) in table)
  const names = [...Object.keys(environment).filter(ours), ...Object.keys(file)]
  return names.filter((name) => !known(name)).map((name) => `${name} is not a setting of this release`)
}

function fromFile(path: string | undefined, isSetting: boolean): string | undefined {
  return path && isSetting ? readFileSync(path, 'utf8').trimEnd() : undefined
}
