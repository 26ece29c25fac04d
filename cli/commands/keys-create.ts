import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig } from '#server/config.ts'
import { writeSecretsFile } from '#server/secrets-file.ts'
import { type Command, exitStatus, print, UsageError } from '../command.ts'

export const keysCreate: Command = {
  usage: '',
  flags: {},
  help: {},
  async run(flags) {
    const config = loadConfig()
    const path = config.STINT_SECRETS_FILE ?? join(config.STINT_DATA_DIR, 'secrets.json')
    if (existsSync(path))
      throw new UsageError(`${path} exists; it is never overwritten, because tokens and keys depend on it`)
    writeSecretsFile(path)
    print(flags, { path }, [`made ${path} (mode 0600); keep a copy apart from the database`])
    return exitStatus.ok
  },
}
