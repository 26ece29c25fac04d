import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { EmbeddedPostgresError } from '@stint/embedded-postgres/data-folder.ts'
import { SettingsError } from '#boot/settings.ts'
import { nearestWord } from '#core/nearest-word.ts'
import { StartRefused } from '#db/start-refused.ts'
import about from '../package.json' with { type: 'json' }
import { type Command, exitMeanings, exitStatus, exitsOfKind, type Flags, UsageError } from './command.ts'
import { type CommandEntry, commands, everyCommand, findCommand } from './commands/index.ts'
import { candidates } from './complete.ts'
import { Interrupted } from './stop-requests.ts'

/** Errors that the operator has to put right before a start can succeed. */
const startRefusals = [SettingsError, StartRefused, EmbeddedPostgresError]

/** Runs one command line of `stint` and answers its exit status. */
export async function run(given: readonly string[]): Promise<number> {
  const words = asNamed(given)
  const [first = '--help', ...rest] = words
  if (first === '--version' || first === '-v') return show(`stint ${about.version}\n`)
  if (['help', '--help', '-h'].includes(first)) return rest.length > 0 ? run([...rest, '--help']) : show(overview())
  if (first === 'complete') return show(`${(await candidates(given.slice(given[1] === '--' ? 2 : 1))).join('\n')}\n`)
  const entry = findCommand(words)
  if (!entry) return tellCommands(words)
  const isJson = words.includes('--json')
  try {
    const command = await entry.load()
    const { flags, positionals } = parse(command, words.slice(entry.name.split(' ').length))
    if (flags.help) return show(helpOf(entry, command))
    return await command.run(flags, positionals)
  } catch (error) {
    return explain(entry, error, isJson)
  }
}

function show(text: string): number {
  process.stdout.write(text)
  return exitStatus.ok
}

/** Ids of operations are taken as they stand in the reference: `api_tokens.list` is `api-tokens list`. */
function asNamed([first = '', ...rest]: readonly string[]): string[] {
  const noun = first.replaceAll('_', '-')
  const [head = '', verb] = noun.split('.')
  if (verb && !first.startsWith('-')) return [head, verb, ...rest]
  return first === '' ? [] : [first.startsWith('-') ? first : noun, ...rest]
}

/** The commands of a group such as `admin` where no more is said; for a word that is none, the nearest that is one. */
function tellCommands(words: readonly string[]): number {
  const [group = ''] = words
  const inGroup = everyCommand().filter(({ name }) => name.startsWith(`${group} `))
  const isAsked = words.slice(1).some((word) => word === '--help' || word === '-h')
  if (inGroup.length > 0 && isAsked) return show(listOf(group, inGroup))
  const called = words.filter((word) => !word.startsWith('-')).slice(0, inGroup.length > 0 ? 2 : 1)
  const near = nearestCommand(called)
  const hint = near && near !== group ? `; did you mean "${near}"?` : ''
  const told =
    called.length === 1 && inGroup.length > 0
      ? `"${group}" needs a further word\n\n${listOf(group, inGroup)}`
      : `there is no command "${called.join(' ')}"${hint}\nSee \`stint ${inGroup.length > 0 ? `${group} ` : ''}--help\`.\n`
  process.stderr.write(`stint: ${told}`)
  return exitStatus.usage
}

/** The command that was most likely meant; behind the name of a group it is one of that group. */
function nearestCommand(called: readonly string[]): string | undefined {
  const names = everyCommand().map(({ name }) => name)
  const inGroup = names.filter((name) => name.startsWith(`${called[0]} `))
  if (called.length > 1 && inGroup.length > 0) return nearestWord(called.join(' '), inGroup)
  return nearestWord(called[0] ?? '', new Set(names.map((name) => name.split(' ')[0] ?? '')))
}

/** Reads flags and words. What the command does not take is refused by name: without effect it would mislead. */
function parse(command: Command, given: string[]): { flags: Flags; positionals: string[] } {
  const options: ParseArgsOptionsConfig = { help: { type: 'boolean', short: 'h' } }
  const alone = new Set<string>()
  for (const option of Object.keys(optionsOf(command))) {
    const [name = '', value] = option.split(' ')
    options[name] ??= { type: value ? 'string' : 'boolean', multiple: value?.endsWith(',…>') === true }
    if (value?.startsWith('[')) alone.add(name)
  }
  const words = given
    .map((word) => flagAsNamed(word))
    .flatMap((word, place, all) => {
      const isAlone = alone.has(word.slice(2)) && !/^(true|false)$/.test(all[place + 1] ?? '')
      return isAlone ? `${word}=true` : word
    })
  const args = joinDashedValues(words, options)
  const { tokens } = parseArgs({ args, options, allowPositionals: true, strict: false, tokens: true })
  if (tokens.some((token) => token.kind === 'option' && token.name === 'help'))
    return { flags: { help: true }, positionals: [] }
  const unknown = tokens.find((token) => token.kind === 'option' && !Object.hasOwn(options, token.name))
  if (unknown?.kind === 'option') {
    const near = nearestWord(unknown.name, Object.keys(options))
    throw new UsageError(`there is no option ${unknown.rawName}${near ? `; did you mean --${near}?` : ''}`)
  }
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const surplus = positionals.slice(command.words_max ?? 0)
  if (surplus.length > 0) throw new UsageError(`"${surplus.join(' ')}" is too much: no such word is taken here`)
  return { flags: values, positionals }
}

/** Amounts below zero and digests may begin with a dash: after a flag that takes a value they are its value. */
function joinDashedValues(words: readonly string[], options: ParseArgsOptionsConfig): string[] {
  const isFlag = (word: string) => {
    const [name = ''] = word.replace(/^--?/, '').split('=')
    return name === 'h' || Object.hasOwn(options, name)
  }
  const args: string[] = []
  for (const word of words) {
    const flag = args.at(-1) ?? ''
    const isValue = word.startsWith('-') && options[flag.slice(2)]?.type === 'string' && !isFlag(word)
    if (isValue) args.splice(-1, 1, `${flag}=${word}`)
    else args.push(word)
  }
  return args
}

/** Fields of the reference are taken as they stand there: `--updated_after` is `--updated-after`. */
function flagAsNamed(word: string): string {
  const [, name, rest = ''] = /^(--[^=]+)(=.*)?$/s.exec(word) ?? []
  return name === undefined ? word : `${name.replaceAll('_', '-')}${rest}`
}

function optionsOf({ options, has_result = true }: Command): Record<string, string> {
  return { ...options, ...(has_result && { json: 'Print the result as JSON.' }) }
}

/** Errors name the next step; a stack is printed only for a defect of ours. */
async function explain({ name }: CommandEntry, error: unknown, json: boolean): Promise<number> {
  const message = error instanceof Error ? error.message : String(error)
  const { explainService, inForm } = await import('./service/explain.ts')
  const tell = (told: string) => process.stderr.write(json ? `${told}\n` : `stint ${name}: ${told}\n`)
  const explained = explainService(error, { json })
  if (explained) {
    tell(explained.told)
    return explained.status
  }
  const isUsage =
    error instanceof UsageError ||
    (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'))
  if (isUsage) {
    tell(inForm(`${message}\nSee \`stint ${name} --help\`.`, { json }))
    return exitStatus.usage
  }
  tell(
    error instanceof SettingsError && json
      ? JSON.stringify({ detail: message, faults: error.faults })
      : inForm(message, { json }),
  )
  if (error instanceof Interrupted) return exitStatus.interrupted
  if (startRefusals.some((refusal) => error instanceof refusal)) return exitStatus.refused_start
  return exitStatus.failed
}

/** The commands with what each is for; of those that call one operation each, the groups. */
function overview(): string {
  const isOwn = new Set(commands.map(({ name }) => name))
  const operations = everyCommand().filter(({ name }) => !isOwn.has(name))
  const nouns = [...new Set(operations.map(({ name }) => name.split(' ')[0] ?? ''))]
  const rows = (audience: CommandEntry['audience']) =>
    columns(commands.filter((entry) => entry.audience === audience).map(({ name, summary }) => [name, summary]))
  return `stint: run, operate and use a Stint service

Usage: stint <command> [options]

To run and operate a service:
${rows('operator')}

To use one (begin with \`stint login\`):
${rows('integrator')}

Every operation of the API is a command; \`stint contracts --help\` lists those of contracts:
${wrapped(nouns)}

\`stint <command> --help\` shows options and examples; \`stint --version\` tells the release.
Commands that operate a service read its settings: environment over file (stint.toml or stint.json) over default (\`stint config print\`).
Commands that use one read STINT_URL, STINT_TOKEN, STINT_CA_FILE and STINT_PROFILE, then the profile of \`stint login\`.

Exit status:
${columns(Object.entries(exitMeanings))}
`
}

/** The commands of one group. */
function listOf(group: string, entries: readonly CommandEntry[]): string {
  return `Usage: stint ${group} <command> [options]

${columns(entries.map(({ name, summary }) => [name, summary]))}

\`stint ${group} <command> --help\` shows options and examples.
`
}

const line_characters_max = 100

function wrapped(words: readonly string[]): string {
  const lines: string[] = []
  for (const word of words) {
    const line = lines.pop() ?? ' '
    if (line.length + word.length + 1 > line_characters_max) lines.push(line, `  ${word}`)
    else lines.push(`${line} ${word}`)
  }
  return lines.join('\n')
}

/** Synopsis, options, examples and exit statuses of one command. */
export function helpOf({ name, summary, audience }: CommandEntry, command: Command): string {
  const { usage = '', about, examples, exits, calls_service } = command
  const others = [
    ...(calls_service ? [] : exitsOfKind.service),
    ...(audience === 'operator' ? [] : exitsOfKind.operator),
  ]
  const statuses = Object.entries({ ...exitMeanings, ...exits }).filter(([status]) => !others.includes(Number(status)))
  const options = { ...optionsOf(command), 'help, -h': 'Show this.' }
  return `${summary}
${about ? `\n${about}\n` : ''}
${`Usage: stint ${name} ${usage}`.trimEnd()}

Options:
${columns(Object.entries(options).map(([option, text]) => [`--${option}`, text]))}

Examples:
${examples.map((example) => `  npx stint ${example}`).join('\n')}

Exit status:
${columns(statuses)}
`
}

const first_column_max = 44

/** Two columns; a word too long for the first one has its text on the next line. */
function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.min(first_column_max, Math.max(...rows.map(([first]) => first.length))) + 2
  const lines = rows.map(([first, second]) => {
    const isLong = first.length > first_column_max && second !== ''
    return isLong ? `  ${first}\n  ${' '.repeat(width)}${second}` : `  ${first.padEnd(width)}${second}`.trimEnd()
  })
  return lines.join('\n')
}
