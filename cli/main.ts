import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { EmbeddedPostgresError } from '@stint/embedded-postgres/data-folder.ts'
import { SettingsError } from '#boot/settings.ts'
import { nearestWord } from '#core/nearest-word.ts'
import { StartRefused } from '#db/start-refused.ts'
import about from '../package.json' with { type: 'json' }
import { type Command, exitMeanings, exitStatus, type Flags, UsageError } from './command.ts'
import { type CommandEntry, commands } from './commands/index.ts'

/** Errors that the operator has to put right before a start can succeed. */
const startRefusals = [SettingsError, StartRefused, EmbeddedPostgresError]

/** Runs one command line of `stint` and answers its exit status. */
export async function run(words: readonly string[]): Promise<number> {
  const [first = '--help', ...rest] = words
  if (first === '--version' || first === '-v') return show(`stint ${about.version}\n`)
  if (['help', '--help', '-h'].includes(first))
    return rest.length > 0 ? run([...rest, '--help']) : show(overviewOf(commands))
  const entry = find(words)
  if (!entry) return tellCommands(words)
  try {
    const command = await entry.load()
    const { flags, positionals } = parse(command, words.slice(entry.name.split(' ').length))
    if (flags.help) return show(helpOf(entry, command))
    return await command.run(flags, positionals)
  } catch (error) {
    return explain(entry, error)
  }
}

function show(text: string): number {
  process.stdout.write(text)
  return exitStatus.ok
}

function find(words: readonly string[]): CommandEntry | undefined {
  return commands
    .filter(({ name }) => name.split(' ').every((word, index) => words[index] === word))
    .sort((a, b) => b.name.length - a.name.length)[0]
}

/** The commands of a group such as `admin` where no more is said; for a word that is none, the nearest that is one. */
function tellCommands(words: readonly string[]): number {
  const [group = ''] = words
  const inGroup = commands.filter(({ name }) => name.startsWith(`${group} `))
  const isAsked = words.slice(1).some((word) => word === '--help' || word === '-h')
  if (inGroup.length > 0 && isAsked) return show(overviewOf(inGroup))
  const called = words.filter((word) => !word.startsWith('-')).slice(0, inGroup.length > 0 ? 2 : 1)
  const near = nearestWord(called.join(' '), [...commands.map(({ name }) => name), ...groups])
  const hint = near && near !== group ? `; did you mean "${near}"?` : ''
  const told =
    called.length === 1 && inGroup.length > 0
      ? `"${group}" needs a further word\n\n${overviewOf(inGroup)}`
      : `there is no command "${called.join(' ')}"${hint}\nSee \`stint ${inGroup.length > 0 ? `${group} ` : ''}--help\`.\n`
  process.stderr.write(`stint: ${told}`)
  return exitStatus.usage
}

const groups = new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''))

/** Reads flags and words. What the command does not take is refused by name: without effect it would mislead. */
function parse(command: Command, args: string[]): { flags: Flags; positionals: string[] } {
  const options: ParseArgsOptionsConfig = { help: { type: 'boolean', short: 'h' } }
  for (const option of Object.keys(optionsOf(command))) {
    const [name = '', value] = option.split(' ')
    options[name] ??= { type: value ? 'string' : 'boolean' }
  }
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

function optionsOf({ options, has_result = true }: Command): Record<string, string> {
  return { ...options, ...(has_result && { json: 'Print the result as JSON.' }) }
}

/** Errors name the next step; a stack is printed only for a defect of ours. */
function explain({ name }: CommandEntry, error: unknown): number {
  const message = error instanceof Error ? error.message : String(error)
  const isUsage =
    error instanceof UsageError ||
    (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'))
  if (isUsage) {
    process.stderr.write(`stint ${name}: ${message}\nSee \`stint ${name} --help\`.\n`)
    return exitStatus.usage
  }
  process.stderr.write(`stint ${name}: ${message}\n`)
  if (startRefusals.some((refusal) => error instanceof refusal)) return exitStatus.refused_start
  return exitStatus.failed
}

/** The commands with what each is for. */
function overviewOf(entries: readonly CommandEntry[]): string {
  return `stint: run and operate a Stint service

Usage: stint <command> [options]

${columns(entries.map(({ name, summary }) => [name, summary]))}

\`stint <command> --help\` shows options and examples; \`stint --version\` tells the release.
Every command reads the settings of the service: environment over stint.json over default (\`stint config print\`).

Exit status:
${columns(Object.entries(exitMeanings))}
`
}

/** Synopsis, options, examples and exit statuses of one command. */
export function helpOf({ name, summary }: CommandEntry, command: Command): string {
  const { usage = '', about, examples, exits } = command
  const options = { ...optionsOf(command), 'help, -h': 'Show this.' }
  return `${summary}
${about ? `\n${about}\n` : ''}
${`Usage: stint ${name} ${usage}`.trimEnd()}

Options:
${columns(Object.entries(options).map(([option, text]) => [`--${option}`, text]))}

Examples:
${examples.map((example) => `  npx stint ${example}`).join('\n')}

Exit status:
${columns(Object.entries({ ...exitMeanings, ...exits }))}
`
}

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([first]) => first.length)) + 2
  return rows.map(([first, second]) => `  ${first.padEnd(width)}${second}`).join('\n')
}
