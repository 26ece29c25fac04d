import { readFileSync } from 'node:fs'
import tls from 'node:tls'
import { type Flags, textFlag } from '../command.ts'
import { type Profile, readProfiles } from './profiles.ts'

/** The service that a command speaks to, and as whom. */
export interface Connection {
  /** Name of its profile; null where the environment says all. */
  profile: string | null
  origin: string
  base_url: string
  /** The credential of the next request; another one, where there can be one, than that which was just refused. */
  token(refused?: string): Promise<string>
  /** Its stored profile, if there is one. */
  stored: Profile | null
}

/** No service or no usable credential is named; the message says how to name one. */
export class Unconfigured extends Error {
  override readonly name = 'Unconfigured'
}

export const profileOption = { 'profile <name>': 'Use this profile instead of the current one (`stint profile list`).' }

/** Finds the service to connect to: the environment (STINT_URL, STINT_TOKEN, STINT_CA_FILE) over the profile. */
export function connect(flags: Flags, environment = process.env): Connection {
  const { profiles, current } = readProfiles()
  const wished = textFlag(flags, 'profile') ?? (environment.STINT_PROFILE || undefined)
  const name = wished ?? current
  const stored = profiles[name] ?? null
  if (wished !== undefined && !stored)
    throw new Unconfigured(`there is no profile "${wished}": ${known(Object.keys(profiles))}`)
  const url = environment.STINT_URL || stored?.url
  if (!url)
    throw new Unconfigured(
      'no service is named: run `stint login --url https://…`, or set STINT_URL and STINT_TOKEN (and STINT_CA_FILE, where its certificate is of an authority of its own)',
    )
  const origin = originOf(url, environment.STINT_URL ? 'STINT_URL' : `the profile "${name}"`)
  trust(environment.STINT_CA_FILE || (stored?.url === origin ? stored.ca_file : undefined))
  const token = environment.STINT_TOKEN
  if (!token && stored?.url !== origin)
    throw new Unconfigured(
      `no token for ${origin}: set STINT_TOKEN, or run \`stint login --url ${origin}\`; the token of a profile is sent to the address of that profile only`,
    )
  return {
    profile: token ? null : name,
    origin,
    base_url: `${origin}/rest/v2`,
    token: async (refused) => token || tokenOf(name, stored, refused),
    stored,
  }
}

async function tokenOf(name: string, stored: Profile | null, refused: string | undefined): Promise<string> {
  if (stored?.oauth) return (await import('./oauth.ts')).freshToken(name, refused)
  if (stored?.token) return stored.token
  throw new Unconfigured(`the profile "${name}" has no token: run \`stint login --profile ${name}\``)
}

function known(names: readonly string[]): string {
  return names.length > 0 ? `known are ${names.join(', ')}` : 'none is stored yet; `stint login` makes one'
}

/** The origin of an address that people paste, with or without `/rest/v2`. */
export function originOf(text: string, source: string): string {
  const url = URL.parse(text.includes('://') ? text : `https://${text}`)
  if (!url?.host) throw new Unconfigured(`${source} is no address such as https://stint.example`)
  if (url.protocol !== 'https:')
    throw new Unconfigured(`${source} must begin with https://: a token is never sent in plain text`)
  return url.origin
}

/** Adds certificate authorities to those that this process trusts. */
export function trust(ca_file: string | undefined): void {
  if (!ca_file) return
  try {
    tls.setDefaultCACertificates([...tls.getCACertificates('default'), readFileSync(ca_file, 'utf8')])
  } catch (error) {
    throw new Unconfigured(
      `${ca_file} cannot be read as certificates in PEM form: ${error instanceof Error ? error.message : error}`,
    )
  }
}
