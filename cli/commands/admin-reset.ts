import { resetAddress } from '#boot/addresses.ts'
import { resetAdministrator } from '#operator/administration.ts'
import { type Command, exitStatus, nameFlag, print } from '../command.ts'
import { withStorage } from '../operator.ts'
import { tellUnanswered } from '../unanswered-link.ts'

export const adminReset: Command = {
  usage: '--email <e> [--second-factor]',
  options: {
    'email <e>': 'E-mail address of the account.',
    'second-factor': 'Take off authenticator app, passkeys and recovery codes as well, when the link is used.',
  },
  about:
    'Works beside a running service. The former password holds until a new one is chosen. A second factor is still asked for, unless it is taken off.',
  examples: ['admin reset --email nora@example.org', 'admin reset --email nora@example.org --second-factor'],
  async run(flags) {
    const email = nameFlag(flags, 'email', 254)
    const resets_factors = flags['second-factor'] === true
    const { user_id, set_up_link, config } = await withStorage(async ({ database }, config) => {
      const { user_id, link } = await resetAdministrator(database, email, { resets_factors })
      return { user_id, set_up_link: resetAddress(config, link), config }
    })
    print(flags, { user_id, set_up_link }, [
      `${email} chooses a new password within 24 hours, once; every session of the account ends then:`,
      set_up_link,
      ...(resets_factors ? ['The second factors of the account go with it.'] : []),
    ])
    await tellUnanswered(config)
    return exitStatus.ok
  },
}
