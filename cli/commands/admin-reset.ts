import { setUpAddress } from '#boot/addresses.ts'
import { resetAdministrator } from '#operator/administration.ts'
import { type Command, exitStatus, nameFlag, print } from '../command.ts'
import { withStorage } from '../operator.ts'

export const adminReset: Command = {
  usage: '--email <e>',
  options: { 'email <e>': 'E-mail address of the account.' },
  about: 'Works beside a running service. The former password holds until a new one is chosen.',
  examples: ['admin reset --email nora@example.org'],
  async run(flags) {
    const email = nameFlag(flags, 'email', 254)
    const { user_id, set_up_link } = await withStorage(async ({ database }, config) => {
      const { user_id, link } = await resetAdministrator(database, email)
      return { user_id, set_up_link: setUpAddress(config, link) }
    })
    print(flags, { user_id, set_up_link }, [
      `${email} chooses a new password within 24 hours, once; every session of the account ends then:`,
      set_up_link,
    ])
    return exitStatus.ok
  },
}
