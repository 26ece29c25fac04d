import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { UsageError } from '../command.ts'

/** One service as the everyday commands know it. */
export interface Profile {
  /** Origin of the service: `https://localhost:8443`. */
  url: string
  token?: string
  oauth?: OAuthTokens
  /** Certificate authorities (PEM) to trust beside the public ones; an absolute path. */
  ca_file?: string
  /** Key by which `stint listen` signs what it forwards. */
  listen_key?: string
}

export interface OAuthTokens {
  token_url: string
  client_id: string
  access_token: string
  refresh_token: string
  /** Milliseconds since 1970. */
  expires_at: number
}

export interface Profiles {
  current: string
  profiles: Record<string, Profile>
}

export const default_profile = 'default'

/** The file of all profiles; it holds tokens and is its owner's alone. */
export function profilesFile(environment = process.env): string {
  const { XDG_CONFIG_HOME, APPDATA } = environment
  const base =
    XDG_CONFIG_HOME || (process.platform === 'win32' && APPDATA) || join(environment.HOME ?? homedir(), '.config')
  return join(base, 'stint', 'profiles.json')
}

export function readProfiles(): Profiles {
  const file = profilesFile()
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      return { current: default_profile, profiles: {} }
    throw error
  }
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0)
    throw new UsageError(
      `${file} can be read by others: run \`chmod 600 ${file}\`, and replace its tokens if they might have`,
    )
  try {
    const { current, profiles } = JSON.parse(text)
    if (typeof current === 'string' && typeof profiles === 'object' && profiles !== null) return { current, profiles }
  } catch {
    // Told below.
  }
  throw new UsageError(`${file} is no file of profiles: correct or remove it, then \`stint login\` again`)
}

/** Changes the file as a whole: a crash in the middle leaves the former one. */
export function writeProfiles(profiles: Profiles): void {
  const file = profilesFile()
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const next = `${file}.${process.pid}.new`
  writeFileSync(next, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 })
  renameSync(next, file)
}

export function writeProfile(name: string, profile: Profile): void {
  const { current, profiles } = readProfiles()
  writeProfiles({ current, profiles: { ...profiles, [name]: profile } })
}
