import { existsSync } from 'node:fs'
import { secretsFileOf } from '#boot/config.ts'
import { refuseDataDir } from '#db/make-folder.ts'
import { writeSecretsFile } from '#operator/secrets-file.ts'
import { type Command, exitStatus, print, UsageError } from '../command.ts'
import { commandSettings } from '../settings.ts'

export const keysCreate: Command = {
  about: 'The embedded database needs none: its first start makes one. A file that exists is never overwritten.',
  examples: ['keys create'],
  async run(flags) {
    const config = commandSettings()
    const path = secretsFileOf(config)
    if (existsSync(path))
      throw new UsageError(`${path} exists; it is never overwritten, because tokens and keys depend on it`)
    try {
      writeSecretsFile(path)
    } catch (error) {
      throw refuseDataDir(config, error)
    }
    print(flags, { path }, [`made ${path} (mode 0600); keep a copy apart from the database`])
    return exitStatus.ok
  },
}
