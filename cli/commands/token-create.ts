import { organizationScopes } from '#identity/scopes.ts'
import { sensitiveCategories } from '#identity/sensitive-categories.ts'
import { createOperatorToken } from '#server/administration.ts'
import { type Command, exitStatus, nameFlag, print, requiredFlag, textFlag, UsageError } from '../command.ts'
import { withStorage } from '../operator.ts'

export const tokenCreate: Command = {
  usage: '--organization <name> --name <n> --scopes a:read,b:write [--sensitive compensation,…] [--expires 90d]',
  flags: {
    organization: { type: 'string' },
    name: { type: 'string' },
    scopes: { type: 'string' },
    sensitive: { type: 'string' },
    expires: { type: 'string' },
  },
  help: {
    'organization <name>': 'Name or id of the organization.',
    'name <n>': 'What the token is for, 1 to 100 characters.',
    'scopes <list>': `Comma-separated, of: ${organizationScopes.join(' ')}. "all" for every one.`,
    'sensitive <list>': `Categories of sensitive data, of: ${sensitiveCategories.join(' ')}. Default none.`,
    'expires <time>': 'Life from now, e.g. 12h or 90d. Default: no end.',
  },
  examples: [
    'token create --organization "Pine & Co" --name first --scopes all',
    'token create --organization "Pine & Co" --name payroll --scopes contracts:read --sensitive compensation --expires 90d',
  ],
  async run(flags) {
    const wished = {
      organization: requiredFlag(flags, 'organization'),
      name: nameFlag(flags, 'name', 100),
      scopes: pick(requiredFlag(flags, 'scopes'), organizationScopes, 'scope'),
      sensitive_data: pick(textFlag(flags, 'sensitive') ?? '', sensitiveCategories, 'category'),
      expires_at: endAfter(textFlag(flags, 'expires')),
    }
    const made = await withStorage(({ database, secrets }) => createOperatorToken(database, secrets, wished))
    print(flags, made, [made.token])
    return exitStatus.ok
  },
}

function pick(text: string, known: readonly string[], what: string): string[] {
  const words = text === 'all' ? [...known] : text.split(',').filter((word) => word !== '')
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
