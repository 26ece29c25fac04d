import { exitMeanings } from '../../cli/command.ts'
import { commands } from '../../cli/commands/index.ts'
import { helpOf } from '../../cli/main.ts'
import { table } from './markdown.ts'

const audiences = {
  operator: 'For those who run a service',
  integrator: 'For those who use one',
} as const

/** Every command that is no operation, with its help as it is printed, as Markdown. */
export async function commandsPage(): Promise<string> {
  const helps = await Promise.all(
    commands.map(async (entry) => {
      const help = helpOf(entry, await entry.load())
      return { audience: entry.audience, text: `### stint ${entry.name}\n\n\`\`\`text\n${help.trimEnd()}\n\`\`\`` }
    }),
  )
  const parts = Object.entries(audiences).flatMap(([audience, title]) => [
    `## ${title}`,
    ...helps.filter((one) => one.audience === audience).map(({ text }) => text),
  ])
  return [
    '# Commands',
    'Every [operation](operations.md) is a command too, under its id: `contracts.list` is `stint contracts list`, and its help tells its fields. With `--json` a result is JSON on standard output and an error one object on standard error: a problem document, or `detail` with the words (and `faults`, where settings are wrong). Nothing is printed in colour, so `NO_COLOR` has nothing to change.',
    table(['Exit status', 'Meaning'], Object.entries(exitMeanings)),
    ...parts,
  ].join('\n\n')
}
