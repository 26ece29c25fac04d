import { setUpAddress, shellWord, stintCommand } from '#boot/addresses.ts'
import { isCountry, isCurrency, isEmail, isTimeZone } from '#core/values.ts'
import { faultOfPassword } from '#identity/password.ts'
import { createAdministrator } from '#operator/administration.ts'
import { type Command, exitStatus, type Flags, nameFlag, print, textFlag, UsageError } from '../command.ts'
import { withStorage } from '../operator.ts'
import { askHidden, readStandardInput } from '../prompt.ts'
import { tellUnanswered } from '../unanswered-link.ts'

export const adminCreate: Command = {
  usage: '--email <e> --organization <name> [--password-stdin | --link]',
  options: {
    'email <e>': 'E-mail address of the owner.',
    'name <n>': 'Name of the owner (default: the e-mail address).',
    'organization <name>': 'Name of the organization.',
    'country <code>': 'Country of a new organization, e.g. DE.',
    'currency <code>': 'Default currency of a new organization (default EUR).',
    'time-zone <name>': 'IANA time zone of a new organization (default UTC).',
    sandbox: 'Make a new organization a sandbox.',
    'password-stdin': 'Read the password from standard input instead of asking for it.',
    link: 'Print a one-time link by which the owner chooses the password; so too without a terminal to ask on.',
  },
  about:
    'Works beside a running service, and after its first start, which makes the embedded database. An account that exists keeps its name and its password.',
  examples: [
    'admin create --email nora@example.org --organization "Pine & Co" --country DE',
    'admin create --email nora@example.org --organization "Pine & Co" --link --json',
  ],
  async run(flags) {
    const email = nameFlag(flags, 'email', 254)
    if (!isEmail(email)) throw new UsageError(`${email} is not an e-mail address such as ada@company.example`)
    const organization = organizationOf(flags)
    const name = flags.name === undefined ? email : nameFlag(flags, 'name', 200)
    const password = await readPassword(flags)
    const { set_up_link, config, ...made } = await withStorage(async ({ database }, config) => {
      const { link, ...made } = await createAdministrator(database, { email, name, password, organization })
      return { ...made, set_up_link: link && setUpAddress(config, link), config }
    })
    print(flags, { ...made, ...(set_up_link && { set_up_link }) }, [
      `${email} is owner of ${organization.name} (${made.organization_id}${made.organization_created ? ', new' : ''})`,
      ...(made.user_created ? [] : ['This person was known already: name and password stay as they were.']),
      ...(set_up_link ? ['The password is chosen within 24 hours, once, at:', set_up_link] : []),
      `Next: ${stintCommand(config)} token create --organization ${shellWord(organization.name)} --name first --scopes all --sensitive all`,
    ])
    if (set_up_link) await tellUnanswered(config)
    return exitStatus.ok
  },
}

function organizationOf(flags: Flags) {
  const country = textFlag(flags, 'country') ?? null
  const default_currency = textFlag(flags, 'currency') ?? 'EUR'
  const timezone = textFlag(flags, 'time-zone') ?? 'UTC'
  if (country !== null && !isCountry(country)) throw new UsageError(`${country} is not a country code such as DE`)
  if (!isCurrency(default_currency)) throw new UsageError(`${default_currency} is not a currency code such as EUR`)
  if (!isTimeZone(timezone)) throw new UsageError(`${timezone} is not a time zone such as Europe/Berlin`)
  return {
    name: nameFlag(flags, 'organization', 200),
    country,
    default_currency,
    timezone,
    is_sandbox: flags.sandbox === true,
    is_new: ['country', 'currency', 'time-zone', 'sandbox'].some((name) => flags[name] !== undefined),
  }
}

const question = 'Password (empty: print a link to choose one): '

/** Null: no password is given, and a link takes its place. */
async function readPassword(flags: Flags): Promise<string | null> {
  if (flags.link && flags['password-stdin']) throw new UsageError('--link and --password-stdin exclude each other')
  if (flags.link || !(flags['password-stdin'] || process.stdin.isTTY)) return null
  const password = flags['password-stdin'] ? await readStandardInput() : await askHidden(question)
  if (password === '' && !flags['password-stdin']) return null
  const fault = faultOfPassword(password)
  if (fault) throw new UsageError(`the password ${fault}`)
  return password
}
