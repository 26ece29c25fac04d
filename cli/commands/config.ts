import { loadConfig, settingsTable } from '#server/config.ts'
import { type Command, exitStatus, print } from '../command.ts'

export const configCheck: Command = {
  usage: '',
  flags: {},
  help: {},
  async run(flags) {
    loadConfig()
    print(flags, { ok: true }, ['the settings are valid'])
    return exitStatus.ok
  },
}

export const configPrint: Command = {
  usage: '',
  flags: {},
  help: {},
  async run(flags) {
    const config: Record<string, unknown> = loadConfig()
    const shown = Object.entries(settingsTable).map(([name, setting]) => {
      const value = config[name]
      return [name, setting.is_secret && value ? '(set)' : value] as const
    })
    print(
      flags,
      Object.fromEntries(shown),
      shown.map(([name, value]) => `${name}=${value ?? ''}`),
    )
    return exitStatus.ok
  },
}
