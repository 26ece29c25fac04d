import type { Command } from './command.ts'
import { everyCommand, findCommand } from './commands/index.ts'

/** The words that may stand at the place of the last of these, for the completion of a shell. */
export async function candidates(words: readonly string[]): Promise<string[]> {
  const before = words.slice(0, -1)
  const typed = words.at(-1) ?? ''
  const found = await wordsBehind(before, typed)
  return [...new Set(found)].filter((word) => word.startsWith(typed)).sort()
}

async function wordsBehind(before: readonly string[], typed: string): Promise<string[]> {
  const entry = findCommand(before)
  if (!entry) return commandWords(before)
  const options = optionsOf(await entry.load())
  const choices = options.find(({ flag }) => flag === before.at(-1))?.choices
  if (choices) return choices
  const further = commandWords(before)
  return typed.startsWith('-') || further.length === 0 ? options.map(({ flag }) => flag) : further
}

/** The next word of each command that begins with these. */
function commandWords(before: readonly string[]): string[] {
  const begun = everyCommand().map(({ name }) => name.split(' '))
  return begun.flatMap((name) =>
    before.every((word, place) => name[place] === word) ? (name[before.length] ?? []) : [],
  )
}

/** Options with the words that they take: `status <active|disabled>`. */
function optionsOf({ options = {}, has_result = true }: Command) {
  const own = Object.keys(options).map((option) => {
    const [name = '', value = ''] = option.split(' ')
    const words = /^[<[](.*?)(,…)?[>\]]$/.exec(value)?.[1]?.split('|') ?? []
    return { flag: `--${name}`, choices: value === '' ? undefined : words.length > 1 ? words : [] }
  })
  const everywhere = [...(has_result ? ['--json'] : []), '--help']
  return [...own, ...everywhere.map((flag) => ({ flag, choices: undefined }))]
}
