import { type Command, exitMeanings } from './command.ts'
import type { CommandEntry } from './commands/index.ts'

/** The commands with what each is for. */
export function overviewOf(entries: readonly CommandEntry[]): string {
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
  const { usage, about, help, examples, exits, has_result = true } = command
  const options = { ...help, ...(has_result && { json: 'Print the result as JSON.' }), 'help, -h': 'Show this.' }
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
