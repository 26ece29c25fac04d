import { readFileSync } from 'node:fs'
import { nearestWord } from '#core/nearest-word.ts'

/** One setting: its default, what it means and how its text is read. A reader throws what is wrong with the text. */
export interface Setting<Value> {
  default: string
  meaning: string
  read: (text: string) => Value
  is_secret?: boolean
}

type Check = (text: string) => void
const anything: Check = () => undefined

export function text(defaultText: string, meaning: string, check = anything): Setting<string> {
  const read = (value: string) => {
    check(value)
    return value
  }
  return { default: defaultText, meaning, read }
}

export function optional(
  meaning: string,
  { is_secret = false, check = anything }: { is_secret?: boolean; check?: Check } = {},
): Setting<string | null> {
  const { read } = text('', meaning, check)
  return { default: '', meaning, is_secret, read: (value) => (value === '' ? null : read(value)) }
}

/** A bare https origin, e.g. `https://stint.example`: issued addresses are made by appending to it. */
export function origin(meaning: string): Setting<string | null> {
  const check = (value: string) => {
    if (value.startsWith('https:') && URL.parse(value)?.origin === value) return
    throw new Error('must be an https origin without path, such as https://stint.example')
  }
  return optional(meaning, { check })
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

export function list(defaultText: string, meaning: string, check = anything): Setting<string[]> {
  const read = (value: string) => {
    const items = value.split(',').map((item) => item.trim())
    const given = items.filter((item) => item !== '')
    given.forEach(check)
    return given
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

/** The sources of settings: environment over file. */
export interface GivenSettings {
  environment: Record<string, string | undefined>
  file?: Record<string, string>
  /** As warnings name it. */
  file_name?: string
}

type Table = Record<string, Setting<unknown>>

/**
 * Reads every setting of the table: environment over file over default; `NAME_FILE` names a file whose content is the
 * value. `faultsBetween` tells what no setting by itself tells; it is asked of those that could be read.
 */
export function readSettings<Known extends Table>(
  table: Known,
  environment: GivenSettings['environment'],
  file: Record<string, string> = {},
  faultsBetween: (read: Partial<Settings<Known>>) => string[] = () => [],
): Settings<Known> {
  const faults: string[] = []
  const entries = Object.entries(table).flatMap(([name, setting]) => {
    try {
      return [[name, setting.read(givenText(name, { environment, file })?.text ?? setting.default)]]
    } catch (cause) {
      faults.push(`${name} ${cause instanceof Error ? cause.message : cause}`)
      return []
    }
  })
  // The cast holds because each value came from the reader of its own setting.
  const read = Object.fromEntries(entries) as Settings<Known>
  faults.push(...faultsBetween(read))
  if (faults.length > 0) throw new SettingsError(faults)
  return read
}

/** The source of the value of each setting, in words for the operator. */
export function sourcesOf(table: Table, given: GivenSettings): Record<string, string> {
  return Object.fromEntries(Object.keys(table).map((name) => [name, givenText(name, given)?.source ?? 'default']))
}

/**
 * Warnings about what is given but has no effect, in words for the operator. Names that begin like ours may be a typing
 * error, which goes wrong in silence otherwise. They are no reason to refuse a start: the environment is shared with
 * the command line, with scripts, and with Kubernetes, which sets variables for every service of a name.
 */
export function warningsOf(table: Table, { environment, file = {}, file_name }: GivenSettings): string[] {
  const ours = Object.keys(environment).filter(isOurs)
  const links = ours.filter((name) => service_link_name.test(name) || isServiceLink(name, environment[name]))
  const isKnown = (name: string) =>
    name in table || ofCommandLine.has(name) || (name.endsWith('_FILE') && name.slice(0, -5) in table)
  const unknown = (names: string[], where = '') =>
    names.flatMap((name) => {
      if (isKnown(name)) return []
      const nearest = nearestWord(name, Object.keys(table))
      const hint = nearest ? `; did you mean ${nearest}?` : ''
      return [`${name}${where} is not a setting of this release and is ignored${hint}`]
    })
  const linked = `${listed(links)} ignored: Kubernetes sets such names for a service (enableServiceLinks)`
  const mistaken = ours.filter((name) => !links.includes(name))
  return [
    ...unknown(mistaken),
    ...unknown(Object.keys(file), ` in ${file_name}`),
    ...(links.length > 0 ? [linked] : []),
  ]
}

const isOurs = (name: string) => /^(STINT|WEBHOOK)_/.test(name)

/** Read by clients: the guides export them, and a service started from the same shell has no use for them. */
const ofCommandLine: ReadonlySet<string> = new Set(['STINT_TOKEN', 'STINT_URL', 'STINT_CA_FILE', 'STINT_PROFILE'])

/** Variables by which Kubernetes tells of a service named `stint`, `stint-…` or `webhook…`, beside `…_PORT=tcp://…`. */
const service_link_name =
  /^(STINT|WEBHOOK)(_[A-Z0-9_]+)?_(SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/

const isServiceLink = (name: string, value = '') => isOurs(name) && /^(tcp|udp|sctp):\/\//.test(value)

const listed_max = 3

function listed(names: readonly string[]): string {
  const more = names.length - listed_max
  return `${names.slice(0, listed_max).join(', ')}${more > 0 ? ` and ${more} more are` : names.length > 1 ? ' are' : ' is'}`
}

/** The text of a setting and where it comes from; undefined where its default counts, as for an empty text. */
function givenText(name: string, { environment, file = {}, file_name = '' }: GivenSettings) {
  const own = isServiceLink(name, environment[name]) ? undefined : environment[name]
  // An empty text in the environment also takes the place of one in the file.
  const inEnvironment = textIn(name, { ...environment, [name]: own }, 'environment')
  return inEnvironment ?? (own === undefined ? textIn(name, file, file_name) : undefined)
}

function textIn(name: string, given: Record<string, string | undefined>, source: string) {
  const name_of_file = `${name}_FILE`
  const [text, path] = [given[name], given[name_of_file]]
  if (text && path) throw new Error(`is given twice: by ${name} and by ${name_of_file}`)
  if (text) return { text, source }
  return path ? { text: contentOf(path), source: `${source}, ${name_of_file}` } : undefined
}

/** A file with nothing in it is a secret that did not arrive; its default would be something else than was meant. */
function contentOf(path: string): string {
  let content: string
  try {
    content = readFileSync(path, 'utf8').trimEnd()
  } catch (cause) {
    throw new Error(`cannot be read from its file: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
  if (content === '') throw new Error(`has nothing in its file ${path}`)
  return content
}
