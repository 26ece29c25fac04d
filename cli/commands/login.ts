import { resolve } from 'node:path'
import { type Command, exitStatus, type Flags, print, textFlag, UsageError } from '../command.ts'
import { askHidden, readStandardInput } from '../prompt.ts'
import { send } from '../service/client.ts'
import { originOf, trust } from '../service/connection.ts'
import { default_profile, type Profile, profilesFile, readProfiles, writeProfiles } from '../service/profiles.ts'

export const login: Command = {
  usage:
    '--url <address> [--token <t> | --token-stdin | --web [--scopes <list>]] [--ca-file <file>] [--profile <name>]',
  options: {
    'url <address>': 'Address of the service, such as https://localhost:8443 (default: that of the profile).',
    'token <t>':
      'The token; other users of this machine may see it while the command runs: prefer the question or --token-stdin.',
    'token-stdin': 'Read the token from standard input instead of asking for it.',
    web: 'Sign in by the browser; the command line then acts as you, with the scopes you allow.',
    'scopes <list>': 'Scopes to ask for in the browser, comma-separated (default: all, to choose from there).',
    'ca-file <file>':
      'Certificate authority (PEM) of the service, where it is not a public one: data/tls/ca.pem of a local start.',
    'profile <name>': `Name to store it under (default: the current one, or "${default_profile}"); it becomes the current one.`,
  },
  about: `The token is tried before it is stored, in a file of mode 0600. You get one from \`npm start -- --demo\`, from the
operator (\`stint token create\`), or from the console. Without a file STINT_URL, STINT_TOKEN and STINT_CA_FILE do the same.`,
  examples: [
    'login --url https://localhost:8443 --ca-file data/tls/ca.pem',
    'login --url https://stint.example --token-stdin --profile production',
    'login --url https://stint.example --web',
  ],
  calls_service: true,
  async run(flags) {
    const { current, profiles } = readProfiles()
    const name = textFlag(flags, 'profile') ?? (Object.hasOwn(profiles, current) ? current : default_profile)
    const url = originOfFlags(flags, profiles[name])
    const given = textFlag(flags, 'ca-file')
    const ca_file = given ? resolve(given) : profiles[name]?.url === url ? profiles[name]?.ca_file : undefined
    trust(ca_file)
    const profile: Profile = { url, ...(ca_file && { ca_file }), ...(await credentialOf(flags, url)) }
    const organizations = await tryOut(profile)
    writeProfiles({ current: name, profiles: { ...profiles, [name]: profile } })
    print(flags, { profile: name, url, organizations, file: profilesFile() }, [
      `signed in at ${url}: ${organizations.map((one) => one.name).join(', ')}`,
      `stored as the profile "${name}" in ${profilesFile()}`,
      'Next: stint contracts list, or stint listen --forward-to http://localhost:3000/hook',
    ])
    return exitStatus.ok
  },
}

function originOfFlags(flags: Flags, known: Profile | undefined): string {
  const url = textFlag(flags, 'url') ?? process.env.STINT_URL ?? known?.url
  if (!url) throw new UsageError('--url is missing: the address of the service, such as https://localhost:8443')
  return originOf(url, '--url')
}

async function credentialOf(flags: Flags, url: string): Promise<Pick<Profile, 'token' | 'oauth'>> {
  if (flags.web) {
    const scopes = textFlag(flags, 'scopes')?.replaceAll(',', ' ') ?? ''
    return { oauth: await (await import('../service/oauth.ts')).signInByBrowser(url, scopes) }
  }
  const token = (textFlag(flags, 'token') ?? (await readToken(flags))).trim()
  if (!/^[\x21-\x7e]+$/.test(token)) throw new UsageError('a token has no blanks, and one is needed')
  return { token }
}

async function readToken(flags: Flags): Promise<string> {
  if (flags['token-stdin']) return readStandardInput()
  if (process.stdin.isTTY) return askHidden('Token: ')
  throw new UsageError('there is no terminal to ask on: give the token by --token-stdin, or sign in by --web')
}

async function tryOut({ url, token, oauth }: Profile): Promise<{ id: string; name: string }[]> {
  const credential = token ?? oauth?.access_token ?? ''
  const connection = {
    profile: null,
    origin: url,
    base_url: `${url}/rest/v2`,
    token: async () => credential,
    stored: null,
  }
  const { body } = await send(connection, { method: 'GET', path: '/organizations', is_repeatable: true })
  // The cast holds because the list answers organizations.
  return (body as { data: { id: string; name: string }[] }).data
}

export const logout: Command = {
  usage: '[--profile <name>]',
  options: { 'profile <name>': 'The profile to forget (default: the current one).' },
  about:
    'A sign-in by browser ends everywhere. A token stays good: delete it in the console or by `stint api-tokens delete`.',
  examples: ['logout', 'logout --profile production'],
  calls_service: true,
  async run(flags) {
    const { current, profiles } = readProfiles()
    const name = textFlag(flags, 'profile') ?? current
    const { [name]: forgotten, ...others } = profiles
    if (!forgotten)
      throw new UsageError(`there is no profile "${name}"; known are ${Object.keys(profiles).join(', ') || 'none'}`)
    trust(forgotten.ca_file)
    if (forgotten.oauth) await (await import('../service/oauth.ts')).revoke(forgotten.oauth)
    const next = name === current ? (Object.keys(others)[0] ?? default_profile) : current
    writeProfiles({ current: next, profiles: others })
    print(flags, { forgotten: name }, [`the profile "${name}" is forgotten`])
    return exitStatus.ok
  },
}
