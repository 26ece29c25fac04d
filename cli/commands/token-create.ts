import { organizationScopes, sensitiveCategories } from '#identity/scopes.ts'
import { createOperatorToken } from '#operator/administration.ts'
import { type Command, exitStatus, nameFlag, print, requiredFlag, textFlag, UsageError } from '../command.ts'
import { withStorage } from '../operator.ts'

export const tokenCreate: Command = {
  usage:
    '--organization <name> [--user <e>] --name <n> --scopes a:read,b:write [--sensitive compensation,…] [--expires 90d]',
  options: {
    'organization <name>': 'Name or id of the organization.',
    'user <e>':
      'E-mail address of a member: makes a personal access token, which the tool server takes, within the rights of the role.',
    'name <n>': 'What the token is for, 1 to 100 characters.',
    'scopes <list>': `Comma-separated, of: ${organizationScopes.join(' ')}. "all" for every one it may have.`,
    'sensitive <list>': `Categories of sensitive data, of: ${sensitiveCategories.join(' ')}. "all" for every one it may have. Default none: pay and the like are left out.`,
    'expires <time>': 'Life from now, e.g. 12h or 90d. Default: no end.',
  },
  examples: [
    'token create --organization "Pine & Co" --name first --scopes all --sensitive all',
    'token create --organization "Pine & Co" --name payroll --scopes contracts:read --sensitive compensation --expires 90d',
    'token create --organization "Pine & Co" --user nora@example.org --name agent --scopes all --expires 90d',
  ],
  async run(flags) {
    const wished = {
      organization: requiredFlag(flags, 'organization'),
      user: flags.user === undefined ? undefined : nameFlag(flags, 'user', 254),
      name: nameFlag(flags, 'name', 100),
      scopes: pick(requiredFlag(flags, 'scopes'), organizationScopes, 'scope'),
      sensitive_data: pick(textFlag(flags, 'sensitive') ?? '', sensitiveCategories, 'category'),
      expires_at: endAfter(textFlag(flags, 'expires')),
    }
    const made = await withStorage(({ database }) => createOperatorToken(database, wished))
    print(flags, made, [made.token])
    return exitStatus.ok
  },
}

function pick(text: string, known: readonly string[], what: string): string[] | 'all' {
  if (text === 'all') return text
  const words = text.split(',').filter((word) => word !== '')
  const unknown = words.find((word) => !known.includes(word))
  if (unknown) throw new UsageError(`${unknown} is not a ${what}; known are ${known.join(', ')}`)
  return [...new Set(words)]
}

function endAfter(life: string | undefined): string | null {
  if (life === undefined) return null
  const match = /^(\d{1,5})([hd])$/.exec(life)
  const hours = Number(match?.[1]) * (match?.[2] === 'd' ? 24 : 1)
  if (!(hours >= 1 && hours <= 87_600))
    throw new UsageError('--expires takes hours or days from now, e.g. 12h or 90d, at most ten years')
  return new Date(Date.now() + hours * 3_600_000).toISOString()
}
