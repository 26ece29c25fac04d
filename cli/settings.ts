import { type Config, configWarnings, loadConfig } from '#server/config.ts'

let are_warnings_told = false

/** The settings of a command; what of them has no effect is told once, on standard error. */
export function commandSettings(environment: NodeJS.ProcessEnv = process.env): Config {
  if (!are_warnings_told) {
    for (const warning of configWarnings(environment)) process.stderr.write(`stint: warning: ${warning}\n`)
  }
  are_warnings_told = true
  return loadConfig(environment)
}
