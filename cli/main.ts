import { parseArgs } from 'node:util'
import { EmbeddedPostgresError } from '#db/embedded/error.ts'
import { SettingsError } from '#server/settings.ts'
import { StartRefused } from '#server/start-refused.ts'
import { TlsConfigurationError } from '#surfaces/https/tls-configuration-error.ts'
import { type Command, exitStatus, UsageError } from './command.ts'
import { type CommandEntry, commands } from './commands/index.ts'

/** What the operator has to put right before a start can succeed. */
const startRefusals = [SettingsError, StartRefused, EmbeddedPostgresError, TlsConfigurationError]

const commonFlags = { help: { type: 'boolean', short: 'h' }, json: { type: 'boolean' } } as const

/** Runs one command line of `stint` and answers its exit status. */
export async function run(words: readonly string[]): Promise<number> {
  const entry = find(words)
  if (!entry) return overview(words)
  try {
    const command = await entry.load()
    const options = { ...commonFlags, ...command.flags }
    const args = words.slice(entry.name.split(' ').length)
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    if (values.help) return help(entry, command)
    return await command.run(values, positionals)
  } catch (error) {
    return explain(entry, error)
  }
}

function find(words: readonly string[]): CommandEntry | undefined {
  return commands
    .filter(({ name }) => name.split(' ').every((word, index) => words[index] === word))
    .sort((a, b) => b.name.length - a.name.length)[0]
}

function overview(words: readonly string[]): number {
  const asked = words.length === 0 || ['help', '--help', '-h'].includes(words[0] ?? '')
  const width = Math.max(...commands.map(({ name }) => name.length)) + 2
  const list = commands.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}`).join('\n')
  const text = `stint: run and operate a Stint service\n\n${list}\n\n\`stint <command> --help\` shows its flags; --json prints results as JSON.\nExit status: 0 done, 1 failed, 2 wrong call, 78 the start was refused (settings or schema).\n`
  if (asked) process.stdout.write(text)
  else process.stderr.write(`stint: there is no command "${words.join(' ')}"\n\n${text}`)
  return asked ? exitStatus.ok : exitStatus.usage
}

function help({ name, summary }: CommandEntry, { usage, help: lines }: Command): number {
  const flags = Object.entries({ ...lines, json: 'Print the result as JSON.', help: 'Show this.' })
  const width = Math.max(...flags.map(([flag]) => flag.length)) + 4
  const list = flags.map(([flag, text]) => `  --${flag.padEnd(width)}${text}`).join('\n')
  process.stdout.write(`${summary}\n\nUsage: stint ${name} ${usage}\n\n${list}\n`)
  return exitStatus.ok
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
