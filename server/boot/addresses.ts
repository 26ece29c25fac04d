import { resolve } from 'node:path'
import { addressesOf } from '#authorization/addresses.ts'
import { type Config, settingsTable } from './config.ts'

/** The public origin: the configured one, or the one that a browser on this machine reaches. */
export function originOf(config: Config): string {
  return config.STINT_BASE_URL ?? `https://localhost:${config.STINT_PORT}`
}

export function consoleAddress(config: Config): string {
  return `${addressesOf(originOf(config), config.STINT_AUTH_URL).auth_url}/console`
}

/** The secret stands behind the `#`, which browsers send to no server. */
export function setUpAddress(config: Config, secret: string): string {
  return `${consoleAddress(config)}/set-up#${secret}`
}

/** The same for a new password of an account. */
export function resetAddress(config: Config, secret: string): string {
  return `${consoleAddress(config)}/reset#${secret}`
}

/** The operator's call of `stint` in another terminal, so that it works on this service's data and no other. */
export function stintCommand({ STINT_DATA_DIR }: Config): string {
  const data_dir = resolve(STINT_DATA_DIR)
  return data_dir === resolve(settingsTable.STINT_DATA_DIR.default)
    ? 'npx stint'
    : `STINT_DATA_DIR=${shellWord(data_dir)} npx stint`
}

/** One word for a shell. */
export function shellWord(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
