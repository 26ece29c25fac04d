import { type Config, configWarnings, loadConfig } from '#boot/config.ts'

/** Tells the operator something beside the result of a command. */
export function tell(line: string): void {
  process.stderr.write(`stint: ${line}\n`)
}

let are_warnings_told = false

/** The settings of a command; what of them has no effect is told once, on standard error. */
export function commandSettings(environment: NodeJS.ProcessEnv = process.env): Config {
  if (!are_warnings_told) {
    for (const warning of configWarnings(environment)) tell(`warning: ${warning}`)
  }
  are_warnings_told = true
  return loadConfig(environment)
}
