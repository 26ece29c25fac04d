import { addressesOf } from '#authorization/index.ts'
import type { Config } from './config.ts'

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
