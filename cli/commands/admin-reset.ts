import { resetAdministrator } from '#server/administration.ts'
import { loadConfig } from '#server/config.ts'
import { setUpAddress } from '#server/console-address.ts'
import { type Command, exitStatus, nameFlag, print } from '../command.ts'
import { withStorage } from '../operator.ts'

export const adminReset: Command = {
  usage: '--email <e>',
  flags: { email: { type: 'string' } },
  help: { 'email <e>': 'E-mail address of the account.' },
  async run(flags) {
    const email = nameFlag(flags, 'email', 254)
    const { user_id, link } = await withStorage(({ database }) => resetAdministrator(database, email))
    const set_up_link = setUpAddress(loadConfig(), link)
    print(flags, { user_id, set_up_link }, [
      `${email} chooses a new password within 24 hours, once; every session of the account ends then:`,
      set_up_link,
    ])
    return exitStatus.ok
  },
}
