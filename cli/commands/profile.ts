import { type Command, exitStatus, print, UsageError } from '../command.ts'
import { profilesFile, readProfiles, writeProfiles } from '../service/profiles.ts'

export const profileList: Command = {
  about: 'Tokens are not shown.',
  examples: ['profile list', 'profile list --json'],
  calls_service: true,
  async run(flags) {
    const { current, profiles } = readProfiles()
    const rows = Object.entries(profiles).map(([name, { url, oauth, ca_file }]) => ({
      name,
      is_current: name === current,
      url,
      signed_in_by: oauth ? 'browser' : 'token',
      ca_file: ca_file ?? null,
    }))
    const lines = rows.map(
      ({ name, is_current, url, signed_in_by }) => `${is_current ? '*' : ' '} ${name}  ${url}  ${signed_in_by}`,
    )
    print(
      flags,
      { file: profilesFile(), profiles: rows },
      lines.length > 0 ? lines : ['none yet: `stint login` makes one'],
    )
    return exitStatus.ok
  },
}

export const profileUse: Command = {
  usage: '<name>',
  about: 'One command alone takes another profile by --profile or STINT_PROFILE.',
  examples: ['profile use staging'],
  calls_service: true,
  words_max: 1,
  async run(flags, [name = '']) {
    const { profiles } = readProfiles()
    const { url } = profiles[name] ?? {}
    if (!url)
      throw new UsageError(`there is no profile "${name}"; known are ${Object.keys(profiles).join(', ') || 'none'}`)
    writeProfiles({ current: name, profiles })
    print(flags, { current: name, url }, [`now at ${url}, by the profile "${name}"`])
    return exitStatus.ok
  },
}
