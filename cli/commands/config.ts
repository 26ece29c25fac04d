import { originOf } from '#boot/addresses.ts'
import { type Config, configSources, configWarnings, secretsFileOf, settingsTable } from '#boot/config.ts'
import type { Setting } from '#boot/settings.ts'
import { type Command, exitStatus, print } from '../command.ts'
import { commandSettings } from '../settings.ts'

export const configCheck: Command = {
  about: 'Every fault is listed at once. What is given but has no effect is a warning on standard error.',
  examples: ['config check', 'config check --json'],
  async run(flags) {
    commandSettings()
    print(flags, { ok: true, warnings: configWarnings() }, ['the settings are valid'])
    return exitStatus.ok
  },
}

export const configPrint: Command = {
  usage: '[--redacted]',
  options: { redacted: 'Leave passwords out, as it always does: for scripts that want to say so.' },
  about: 'One line per setting: NAME=value  # where it comes from. Passwords are left out.',
  examples: ['config print', 'config print --redacted --json'],
  async run(flags) {
    const values = inForce(commandSettings())
    const sources = configSources()
    const table: Record<string, Setting<unknown>> = settingsTable
    const shown = Object.entries(table).map(([name, { is_secret }]) => {
      const value = values[name] ?? null
      return {
        name,
        value: is_secret && value !== null ? withoutPassword(String(value)) : value,
        source: sources[name],
      }
    })
    print(
      flags,
      Object.fromEntries(shown.map(({ name, ...rest }) => [name, rest])),
      shown.map(({ name, value, source }) => `${name}=${value ?? ''}  # ${source}`),
    )
    return exitStatus.ok
  },
}

/** Every setting as the service uses it, also where its default depends on others. */
function inForce(config: Config): Record<string, unknown> {
  const origin = originOf(config)
  return {
    ...config,
    STINT_BASE_URL: origin,
    STINT_AUTH_URL: config.STINT_AUTH_URL ?? origin,
    STINT_SECRETS_FILE: secretsFileOf(config),
  }
}

/** An address without its passwords: in its authority, and in parameters such as `password` and `sslpassword`. */
function withoutPassword(text: string): string {
  const url = URL.parse(text)
  if (!url) return '***'
  if (url.password) url.password = '***'
  for (const name of url.searchParams.keys()) if (/password/i.test(name)) url.searchParams.set(name, '***')
  return url.href
}
